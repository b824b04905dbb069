import { payloadType } from '../../../contract/device/manifest'
import type { Release } from '../../../contract/updates/releases'
import type { Author } from '../../../contract/core/shapes'
import type { AssetRow } from './assets/repository'
import { assetToJson } from './assets/to-json'
import type { ReleaseRow } from './repository'
import { entityToJson, formatTimestamp } from '../../core/timestamps'

export type RolloutSummary = NonNullable<Release['rollout_summary']>
/** A signature with the data of its key. */
export type SignatureFacts = {
  releaseId: string
  keyId: string
  keyName: string
  fingerprint: string
  algorithm: string
  signedAt: Date
  signedBy: Author
}

const signatureToJson = (facts: SignatureFacts): Release['signatures'][number] => ({
  key_id: facts.keyId,
  key_name: facts.keyName,
  fingerprint: facts.fingerprint,
  algorithm: facts.algorithm,
  signed_at: formatTimestamp(facts.signedAt),
  signed_by: facts.signedBy,
})

const manifestToJson = ({ payload, manifestSha256, manifestAt, expiresAt }: ReleaseRow): Release['manifest'] =>
  payload !== null && manifestSha256 !== null && manifestAt && expiresAt
    ? {
        sha256: manifestSha256,
        size: Buffer.byteLength(payload, 'base64'),
        payload_type: payloadType,
        created_at: formatTimestamp(manifestAt),
        expires_at: formatTimestamp(expiresAt),
      }
    : null

type Parts = {
  assets: readonly AssetRow[]
  signatures: readonly SignatureFacts[]
  summary: RolloutSummary | undefined
  activeDevices: number
}

export const releaseToJson = (row: ReleaseRow, { assets, signatures, summary, activeDevices }: Parts): Release => ({
  ...entityToJson(row),
  project_id: row.projectId,
  created_by: row.createdBy,
  name: row.name,
  version: row.version,
  display_version: row.displayVersion,
  type: row.type,
  description: row.description,
  notes: row.notes,
  hardware_models: row.hardwareModels,
  min_installed_version: row.minInstalledVersion,
  rollback_version: row.rollbackVersion,
  secure_boot_bundle_id: row.secureBootBundleId,
  allow_downgrade_from: row.allowDowngradeFrom,
  may_return_to: row.mayReturnTo,
  hooks: row.hooks,
  reboot: row.reboot,
  assets: assets.map(assetToJson),
  manifest: manifestToJson(row),
  signatures: signatures.map(signatureToJson),
  state: row.state,
  state_reason: row.stateReason,
  warnings: row.warnings,
  active_devices: activeDevices,
  rollout_summary: summary ?? null,
})
