import { array, assign, boolean, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { endpoint, inProject, onObject, requires } from '../../core/endpoint'
import { containsPrivateKey } from '../../fleet/keys'
import { listOf, listQuery } from '../../core/lists'
import { boundedList } from '../../core/bounded'
import { boundedInteger, pattern, text } from '../../core/rules'
import { Author, entity, Id, Timestamp } from '../../core/shapes'
import { Artifact } from './artifacts'
import { FuseConfig, FuseConfigChange } from './fuses'
import { artifactRoles, platformIds } from './platforms'

export const bundleStates = ['draft', 'checking', 'incomplete', 'ready', 'in_use', 'revoked', 'archived'] as const
export type BundleState = (typeof bundleStates)[number]

/** A finding of the checks. `range`: the bytes of the artifact that it is about. */
export const Check = type({
  /** The rule, such as `nxp-hab.ivt_tag`. */
  id: string(),
  level: enums(['error', 'warning', 'ok']),
  text: string(),
  reason: nullable(string()),
  artifact_id: nullable(Id),
  range: nullable(type({ offset: integer(), length: integer() })),
})
export type Check = Infer<typeof Check>

/** A public key that boot stages are signed with, by the slot of the part's key table. */
export const BundleKey = type({
  slot: integer(),
  /** Null for a key that is not a signing key of the project. */
  key_id: nullable(Id),
  fingerprint: string(),
  algorithm: string(),
  public_key_pem: string(),
  revoked: boolean(),
  is_known_test_key: boolean(),
})
export type BundleKey = Infer<typeof BundleKey>

/** A key of a bundle beside what became of it since the keys of the bundle were read. */
const ShownKey = assign(
  BundleKey,
  /** A signing key of the project that was revoked after the bundle had taken it over: no plan burns it any more. */
  type({ revoked_since: boolean() }),
)
export type ShownKey = Infer<typeof ShownKey>

/** How complete a bundle is: what its platform requires, each with whether a file is there. */
export const Completeness = type({
  present: integer(),
  total: integer(),
  required: array(type({ roles: array(enums(artifactRoles)), present: boolean() })),
})

export type Completeness = Infer<typeof Completeness>

const summary = {
  ...entity,
  project_id: Id,
  name: string(),
  version: integer(),
  platform: enums(platformIds),
  hardware_models: array(string()),
  state: enums(bundleStates),
  state_reason: nullable(string()),
  rollback_version: integer(),
  completeness: Completeness,
  /** Findings of the last checks by level. */
  findings: type({ errors: integer(), warnings: integer() }),
  /** Devices that report this bundle, and those of them whose part is closed. */
  applied: type({ devices: integer(), closed: integer() }),
}
export const BundleSummary = type(summary)
export type BundleSummary = Infer<typeof BundleSummary>

export const SecureBootBundle = type({
  ...summary,
  created_by: nullable(Author),
  description: string(),
  artifacts: array(Artifact),
  keys: array(ShownKey),
  /** The value burned into the part, in hex. */
  key_hash: nullable(string()),
  fuse_config: FuseConfig,
  checks: array(Check),
  checked_at: nullable(Timestamp),
  /** Artifacts checked so far, while the state is `checking`. */
  check_progress: nullable(type({ done: integer(), total: integer() })),
  /** Releases that name this bundle. */
  releases: array(type({ id: Id, name: string(), version: integer(), state: string() })),
})
export type SecureBootBundle = Infer<typeof SecureBootBundle>

const read = requires(onObject('artifact_bundle', 'bundleId'), 'project:view')
const write = requires(onObject('artifact_bundle', 'bundleId'), 'project:update')

const PublicKeyPem = refine(
  refine(
    text('Public key', { max: 8192, lines: true }),
    'pem',
    (value) =>
      /^-----BEGIN PUBLIC KEY-----[\s\S]+-----END PUBLIC KEY-----\s*$/.test(value) ||
      'Paste the public key as PEM (BEGIN PUBLIC KEY)',
  ),
  'private_key',
  (value) => !containsPrivateKey(value) || 'This is a private key. Keep it where it is and paste the public key',
)
/** Either a signing key of the project, or a public key as PEM. */
const NewBundleKey = refine(
  object({
    slot: boundedInteger('Slot', 0, 15),
    key_id: optional(Id),
    public_key_pem: optional(PublicKeyPem),
    revoked: optional(boolean()),
  }),
  'key',
  ({ key_id, public_key_pem }) =>
    (key_id === undefined) !== (public_key_pem === undefined) || 'Choose a signing key or paste a public key',
)
const keys = refine(boundedList(NewBundleKey, 16, 'Each slot takes one key'), 'slots', (value) =>
  new Set(value.map(({ slot }) => slot)).size === value.length ? true : 'Each slot takes one key',
)
const models = refine(
  boundedList(text('Hardware model', { max: 63 }), 100, 'Choose at most 100 hardware models'),
  'required',
  (value) => value.length > 0 || 'Hardware models is required',
)
const fields = {
  name: text('Name', { max: 100 }),
  version: boundedInteger('Version', 1),
  hardware_models: models,
}
const optionalFields = {
  description: optional(
    refine(
      text('Description', { min: 0, max: 512, lines: true }),
      'private_key',
      (value) => !containsPrivateKey(value) || 'This is a private key. Keep it where it is',
    ),
  ),
  rollback_version: optional(boundedInteger('Rollback version', 0)),
  keys: optional(keys),
  key_hash: optional(
    nullable(
      pattern('hex', /^(?:[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/, 'Expected 32 bytes in hex (48 or 64 on some parts)'),
    ),
  ),
  fuse_config: optional(FuseConfigChange),
}
export const NewBundle = object({ ...fields, platform: enums(platformIds), ...optionalFields })
export type NewBundle = Infer<typeof NewBundle>
export const BundleChange = object({
  name: optional(fields.name),
  version: optional(fields.version),
  hardware_models: optional(fields.hardware_models),
  ...optionalFields,
})
export type BundleChange = Infer<typeof BundleChange>

export const BundleFilter = {
  state: optional(enums(bundleStates)),
  platform: optional(enums(platformIds)),
  hardware_model: optional(text('Model', { max: 63 })),
}

export const bundles = endpoint({
  method: 'GET',
  path: '/projects/:projectId/artifact_bundles',
  summary: 'List the secure boot bundles of a project, newest version first.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object({ ...listQuery, ...BundleFilter }),
  answer: listOf('artifact_bundles', BundleSummary),
})
export const createBundle = endpoint({
  method: 'POST',
  path: '/projects/:projectId/artifact_bundles',
  summary: 'Create a draft bundle.',
  needs: requires(inProject, 'project:update'),
  audit: 'bundle.create',
  rate: 'write',
  body: NewBundle,
  answer: SecureBootBundle,
  status: 201,
})
export const bundle = endpoint({
  method: 'GET',
  path: '/artifact_bundles/:bundleId',
  summary: 'Get a bundle with its files, checks and the devices it is applied to.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: SecureBootBundle,
})
export const updateBundle = endpoint({
  method: 'PATCH',
  path: '/artifact_bundles/:bundleId',
  summary: 'Change a bundle that no device has; it must be checked again. Of a bundle in use only the description.',
  needs: write,
  audit: 'bundle.update',
  rate: 'write',
  conditional: true,
  body: BundleChange,
  answer: SecureBootBundle,
})
export const deleteBundle = endpoint({
  method: 'DELETE',
  path: '/artifact_bundles/:bundleId',
  summary: 'Delete a bundle that no device has and no release names.',
  needs: write,
  audit: 'bundle.delete',
  rate: 'write',
  conditional: true,
  answer: 'none',
})
export const checkBundle = endpoint({
  method: 'POST',
  path: '/artifact_bundles/:bundleId/check',
  summary: 'Start the checks of a bundle. The bundle shows their progress and findings.',
  needs: write,
  audit: 'bundle.check',
  rate: 'write',
  answer: SecureBootBundle,
  status: 202,
})
export const revokeBundle = endpoint({
  method: 'POST',
  path: '/artifact_bundles/:bundleId/revoke',
  summary:
    'Revoke a bundle. Its plan and files can no longer be downloaded, and the rollouts of releases that name it are cancelled; devices that have it keep it.',
  needs: write,
  audit: 'bundle.revoke',
  rate: 'write',
  body: object({ reason: text('Reason', { max: 500 }) }),
  answer: SecureBootBundle,
})
export const archiveBundle = endpoint({
  method: 'POST',
  path: '/artifact_bundles/:bundleId/archive',
  summary: 'Archive a bundle that no device has. It can be restored as a draft.',
  needs: write,
  audit: 'bundle.archive',
  rate: 'write',
  answer: SecureBootBundle,
})
export const restoreBundle = endpoint({
  method: 'POST',
  path: '/artifact_bundles/:bundleId/restore',
  summary: 'Make an archived bundle a draft again. It must be checked again.',
  needs: write,
  audit: 'bundle.restore',
  rate: 'write',
  answer: SecureBootBundle,
})
