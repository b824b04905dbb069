import type { BundleChange, NewBundle } from '../../../contract/updates/secure-boot/bundles'
import type { FuseConfig, FuseConfigChange } from '../../../contract/updates/secure-boot/fuses'
import { type PlatformId, platformRules } from '../../../contract/updates/secure-boot/platforms'
import type { Author } from '../../../contract/core/shapes'
import { bundleMoves } from '../../../machines/secure-boot/secure-boot.machine'
import { lockProject } from '../../accounts/projects/plan-and-settings.repository'
import { newRow } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import type { ProjectScope } from '../../core/http/scope'
import { refuse, refuseField } from '../../core/http/refuse'
import { requireKnownModel } from '../../fleet/devices/models'
import { findKeysRevokedSince, resolveKeys } from './keys'
import { type BundleRow, highestRollbackVersion, highestVersion, insertBundle, updateBundle } from './repository'
import { requireEditable, transitionBundle } from './transitions'

type Facts = Pick<BundleRow, 'projectId' | 'hardwareModels' | 'version' | 'rollbackVersion'>

/** Both versions only rise for a hardware model. */
const checkVersions = async (tx: Tx, { projectId, hardwareModels, version, rollbackVersion }: Facts, except?: string) => {
  const models = { projectId, hardwareModels, ...(except !== undefined && { except }) }
  const highest = await highestVersion(tx, models)
  if (version <= highest) refuseField('version', 'not_higher', `Version must be higher than ${highest}`)
  const lowest = await highestRollbackVersion(tx, models)
  if (rollbackVersion < lowest)
    refuseField('rollback_version', 'lower', `Devices have rollback version ${lowest}: it can only rise`)
}

const checkKeyHash = (platform: PlatformId, keyHash: string | null) => {
  if (keyHash === null) return
  const { keyHashBytes } = platformRules[platform]
  if (keyHashBytes.length === 0) refuseField('key_hash', 'not_used', 'No key hash is burned on this platform')
  if (!keyHashBytes.includes(keyHash.length / 2))
    refuseField('key_hash', 'length', `Expected ${keyHashBytes.join(' or ')} bytes in hex`)
}

const toFuseConfig = ({ words, close_step, debug_lock }: FuseConfigChange, name: string): FuseConfig => {
  if (close_step && close_step.confirm !== name)
    refuseField('fuse_config.close_step.confirm', 'confirm', 'Type the name of the bundle to plan the step that closes the part')
  return { words, debug_lock, close_step: close_step && { word: close_step.word, samples_tested: true } }
}

const noFuses: FuseConfig = { words: [], close_step: null, debug_lock: 'open' }
const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]
const checkModels = (project: ProjectScope, models: readonly string[]) => {
  for (const model of models) requireKnownModel(project.settings, model)
}

export const createBundleDraft = async (
  tx: Tx,
  project: ProjectScope,
  body: NewBundle,
  maker: Author,
  now: Date,
): Promise<string> => {
  checkModels(project, body.hardware_models)
  checkKeyHash(body.platform, body.key_hash ?? null)
  const row = {
    ...newRow(now),
    projectId: project.id,
    createdBy: maker,
    name: body.name,
    description: body.description ?? '',
    version: body.version,
    platform: body.platform,
    hardwareModels: distinct(body.hardware_models),
    state: 'draft',
    rollbackVersion: body.rollback_version ?? 0,
    keys: await resolveKeys(tx, project.id, body.keys ?? []),
    keyHash: body.key_hash ?? null,
    fuseConfig: body.fuse_config ? toFuseConfig(body.fuse_config, body.name) : noFuses,
  } as const
  await checkVersions(tx, row)
  await insertBundle(tx, row)
  return row.id
}

const columnsOf = async (tx: Tx, row: BundleRow, body: BundleChange) => ({
  name: body.name ?? row.name,
  description: body.description ?? row.description,
  version: body.version ?? row.version,
  hardwareModels: distinct(body.hardware_models ?? row.hardwareModels),
  rollbackVersion: body.rollback_version ?? row.rollbackVersion,
  keys: body.keys ? await resolveKeys(tx, row.projectId, body.keys) : row.keys,
  // Null is a value: it removes the stored one.
  keyHash: body.key_hash === undefined ? row.keyHash : body.key_hash,
  fuseConfig: body.fuse_config ? toFuseConfig(body.fuse_config, body.name ?? row.name) : row.fuseConfig,
})

/** Changes a bundle. All but its description is part of what was checked. */
export const changeBundle = async (
  tx: Tx,
  project: ProjectScope,
  row: BundleRow,
  body: BundleChange,
  now: Date,
): Promise<void> => {
  const { description, ...checked } = body
  if (Object.keys(checked).length === 0) {
    if (description !== undefined) await updateBundle(tx, row.id, { description }, now)
    return
  }
  await requireEditable(tx, row)
  if (body.hardware_models) checkModels(project, body.hardware_models)
  const columns = await columnsOf(tx, row, body)
  checkKeyHash(row.platform, columns.keyHash)
  await checkVersions(tx, { ...columns, projectId: row.projectId }, row.id)
  await transitionBundle(tx, row, 'bundle.edited', now, { ...columns, stateReason: null })
}

/** Starts the checks. Two bundles of one model cannot both take a version: the project is locked. */
export const startChecks = async (tx: Tx, row: BundleRow, files: number, now: Date): Promise<void> => {
  if (row.state === 'checking') refuse(409, 'conflict', { message: 'The bundle is being checked', about: { state: row.state } })
  if (!bundleMoves.canMove(row.state, 'check.started'))
    refuse(409, 'conflict', { message: 'Only a draft can be checked', about: { state: row.state } })
  await lockProject(tx, row.projectId)
  await checkVersions(tx, row, row.id)
  const revokedSince = await findKeysRevokedSince(tx, row)
  await transitionBundle(tx, row, 'check.started', now, {
    // The checks count no signature by a key that was revoked since, and the plan revokes its slot.
    keys: row.keys.map((key) => (revokedSince.includes(key) ? { ...key, revoked: true } : key)),
    checkRun: row.checkRun + 1,
    checkAttempts: 0,
    checkDone: 0,
    checkTotal: files,
    stateReason: null,
  })
}
