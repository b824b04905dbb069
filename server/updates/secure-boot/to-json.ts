import type { Artifact } from '../../../contract/updates/secure-boot/artifacts'
import type { BundleKey, BundleSummary, Completeness, SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { platformRules } from '../../../contract/updates/secure-boot/platforms'
import { entityToJson, formatTimestampOrNull } from '../../core/timestamps'
import type { Applied } from './applied.repository'
import type { ArtifactRow } from './artifacts.repository'
import type { BundleRow, NamingRelease } from './repository'

export const artifactToJson = (row: ArtifactRow): Artifact => ({
  ...entityToJson(row),
  bundle_id: row.bundleId,
  role: row.role,
  file_name: row.fileName,
  size: row.size,
  sha256: row.sha256,
  load_address: row.loadAddress,
  state: row.state,
  reject_code: row.rejectCode,
  reject_reason: row.rejectReason,
  signature: row.signature,
  parsed: row.parsed,
})

/** What the platform requires, with whether an uploaded file has its role. */
const completenessOf = (
  { platform }: Pick<BundleRow, 'platform'>,
  artifacts: readonly Pick<ArtifactRow, 'role' | 'state'>[],
): Completeness => {
  const there = new Set(artifacts.flatMap(({ role, state }) => (state === 'ready' ? [role] : [])))
  const required = platformRules[platform].required.map((roles) => ({
    roles: [...roles],
    present: roles.some((role) => there.has(role)),
  }))
  return { required, total: required.length, present: required.filter(({ present }) => present).length }
}

export type BundleContext = {
  artifacts: readonly ArtifactRow[]
  applied: Applied | undefined
  releases: readonly NamingRelease[]
  revokedSince: readonly BundleKey[]
}

export const summaryToJson = (
  row: BundleRow,
  { artifacts, applied }: Omit<BundleContext, 'releases' | 'revokedSince'>,
): BundleSummary => {
  const count = (wanted: string) => row.checks.filter(({ level }) => level === wanted).length
  return {
    ...entityToJson(row),
    project_id: row.projectId,
    name: row.name,
    version: row.version,
    platform: row.platform,
    hardware_models: row.hardwareModels,
    state: row.state,
    state_reason: row.stateReason,
    rollback_version: row.rollbackVersion,
    completeness: completenessOf(row, artifacts),
    findings: { errors: count('error'), warnings: count('warning') },
    applied: applied ?? { devices: 0, closed: 0 },
  }
}

export const bundleToJson = (row: BundleRow, context: BundleContext): SecureBootBundle => ({
  ...summaryToJson(row, context),
  created_by: row.createdBy,
  description: row.description,
  artifacts: context.artifacts.map(artifactToJson),
  keys: row.keys.map((key) => ({ ...key, revoked_since: context.revokedSince.includes(key) })),
  key_hash: row.keyHash,
  fuse_config: row.fuseConfig,
  checks: row.checks,
  checked_at: formatTimestampOrNull(row.checkedAt),
  check_progress: row.state === 'checking' ? { done: row.checkDone, total: row.checkTotal } : null,
  releases: context.releases.map(({ id, name, version, state }) => ({ id, name, version, state })),
})
