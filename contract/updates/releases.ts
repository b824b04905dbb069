import { array, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { rebootRules, releaseTypes } from '../device/manifest-fields'
import { Asset } from './release-assets'
import { endpoint, requires, inProject, onObject } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { boundedList } from '../core/bounded'
import { boundedInteger, pattern, text } from '../core/rules'
import { entity, Id, Author, Sha256, Timestamp } from '../core/shapes'

export const releaseStates = [
  'draft',
  'uploading',
  'verifying',
  'rejected',
  'awaiting_signature',
  'ready',
  'released',
  'superseded',
  'revoked',
  'archived',
] as const

type ReleaseState = (typeof releaseStates)[number]
const editable: readonly ReleaseState[] = ['draft', 'uploading', 'verifying', 'rejected']
const deployable: readonly ReleaseState[] = ['ready', 'released', 'superseded']
/** The tag `editable` of the release chart, without the chart's code. Its facts and files can be changed. */
export const isEditable = (state: ReleaseState): boolean => editable.includes(state)
/** The tag `deployable` of the release chart, without the chart's code. A rollout of it may begin. */
export const isDeployable = (state: ReleaseState): boolean => deployable.includes(state)
export const Signature = type({
  key_id: Id,
  key_name: string(),
  fingerprint: string(),
  algorithm: string(),
  signed_at: Timestamp,
  signed_by: Author,
})

export const Release = type({
  ...entity,
  project_id: Id,
  created_by: nullable(Author),
  name: string(),
  version: integer(),
  display_version: nullable(string()),
  type: enums(releaseTypes),
  description: string(),
  notes: string(),
  hardware_models: array(string()),
  min_installed_version: nullable(integer()),
  rollback_version: nullable(integer()),
  /** The secure boot bundle that its devices need; the manifest takes over its rollback version. */
  secure_boot_bundle_id: optional(nullable(Id)),
  /** Versions that may be downgraded to this one: devices follow only this signed list. */
  allow_downgrade_from: optional(array(integer())),
  /**
   * Older versions that devices may return to from this one. Null in a draft: filled when the manifest is built; null later:
   * signed before the list existed.
   */
  may_return_to: nullable(array(integer())),
  hooks: type({ pre_install: nullable(Id), post_install: nullable(Id), post_reboot: nullable(Id) }),
  reboot: enums(rebootRules),
  assets: array(Asset),
  manifest: nullable(
    type({ sha256: Sha256, size: integer(), payload_type: string(), created_at: Timestamp, expires_at: Timestamp }),
  ),
  signatures: array(Signature),
  state: enums(releaseStates),
  state_reason: nullable(string()),
  /** Found when the manifest was built: people should know them before they sign. */
  warnings: array(string()),
  /** How many active devices run it now. */
  active_devices: integer(),
  rollout_summary: nullable(
    type({
      active_rollout_id: nullable(Id),
      state: string(),
      targeted: integer(),
      succeeded: integer(),
      failed: integer(),
      running: integer(),
      waiting: integer(),
    }),
  ),
})
export type Release = Infer<typeof Release>

const read = requires(onObject('release', 'releaseId'), 'project:view')
const write = requires(onObject('release', 'releaseId'), 'project:manage_releases')

const version = boundedInteger('Version', 1)
const versions = boundedList(version, 1000, 'Name at most 1,000 versions')
const displayVersion = optional(
  nullable(pattern('pattern', /^[\w.+-]{1,64}$/, 'Use letters, digits, dots, dashes, plus and underscores')),
)
const models = refine(
  boundedList(text('Hardware model', { max: 63 }), 64, 'Choose at most 64 hardware models'),
  'required',
  (value) => value.length > 0 || 'Hardware models is required',
)
const common = {
  description: optional(text('Description', { min: 0, max: 512, lines: true })),
  notes: optional(text('Notes', { min: 0, max: 65_536, lines: true })),
}
const draft = {
  display_version: displayVersion,
  min_installed_version: optional(nullable(boundedInteger('Minimum installed version', 0))),
  rollback_version: optional(nullable(boundedInteger('Rollback version', 0))),
  secure_boot_bundle_id: optional(nullable(Id)),
  allow_downgrade_from: optional(versions),
  may_return_to: optional(nullable(versions)),
  reboot: optional(enums(rebootRules)),
}

export const NewRelease = object({
  name: text('Name', { max: 256 }),
  version,
  type: enums(releaseTypes),
  hardware_models: models,
  ...common,
  ...draft,
})
export type NewRelease = Infer<typeof NewRelease>
export const ReleaseChange = object({
  name: optional(text('Name', { max: 256 })),
  version: optional(version),
  type: optional(enums(releaseTypes)),
  hardware_models: optional(models),
  ...common,
  ...draft,
  hooks: optional(
    object({ pre_install: optional(nullable(Id)), post_install: optional(nullable(Id)), post_reboot: optional(nullable(Id)) }),
  ),
})

export const releases = endpoint({
  method: 'GET',
  path: '/projects/:projectId/releases',
  summary: 'List the releases of a project, newest version first.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object({
    ...listQuery,
    state: optional(enums(releaseStates)),
    type: optional(enums(releaseTypes)),
    hardware_model: optional(text('Model', { max: 63 })),
  }),
  answer: listOf('releases', Release),
})
export const createRelease = endpoint({
  method: 'POST',
  path: '/projects/:projectId/releases',
  summary: 'Create a draft release.',
  needs: requires(inProject, 'project:manage_releases'),
  audit: 'release.create',
  rate: 'write',
  needsSpace: true,
  body: NewRelease,
  answer: Release,
  status: 201,
})
export const nextVersion = endpoint({
  method: 'GET',
  path: '/projects/:projectId/releases/next_version',
  summary: 'Get the version number that the form proposes.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: type({ version: integer() }),
})
export const returnVersions = endpoint({
  method: 'GET',
  path: '/projects/:projectId/releases/return_versions',
  summary:
    'List the older versions that devices of these models run or can still be given, newest first: the default of `may_return_to`.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object({
    /** Model ids, separated by commas. */
    hardware_models: text('Hardware models', { max: 4096 }),
    below: pattern('type', /^[1-9]\d{0,15}$/, 'Version must be a whole number'),
  }),
  answer: type({
    versions: array(integer()),
    /** The releases of these versions, as far as there are any, with the devices that run them. */
    releases: array(type({ version: integer(), display_version: nullable(string()), devices: integer() })),
  }),
})
export const release = endpoint({
  method: 'GET',
  path: '/releases/:releaseId',
  summary: 'Get a release with its assets and signatures.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: Release,
})
export const updateRelease = endpoint({
  method: 'PATCH',
  path: '/releases/:releaseId',
  summary: 'Change a draft; of a later release only description and notes.',
  needs: write,
  audit: 'release.update',
  rate: 'write',
  needsSpace: true,
  conditional: true,
  body: ReleaseChange,
  answer: Release,
})
export const deleteRelease = endpoint({
  method: 'DELETE',
  path: '/releases/:releaseId',
  summary: 'Delete a draft.',
  needs: write,
  audit: 'release.delete',
  rate: 'write',
  conditional: true,
  answer: 'none',
})

export const revokeRelease = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/revoke',
  summary: 'Revoke a release. Devices no longer get it and its rollouts are cancelled.',
  needs: write,
  audit: 'release.revoke',
  rate: 'write',
  body: object({ reason: text('Reason', { max: 500 }) }),
  answer: Release,
})
export const archiveRelease = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/archive',
  summary: 'Archive a release.',
  needs: write,
  audit: 'release.archive',
  rate: 'write',
  answer: Release,
})
