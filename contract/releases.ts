import { array, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { AssetName, assetKinds, FileMode, InstallLocation, rebootRules, releaseTypes } from './device/manifest-fields'
import { anyone, endpoint, holds, inProject, of } from './endpoint'
import { maxUploadBytes } from './limits'
import { listOf, listQuery } from './lists'
import { pattern, text, whole } from './rules'
import { entity, Id, Maker, Sha256, Timestamp } from './shapes'

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
export const assetStates = ['expected', 'uploading', 'verifying', 'ready', 'rejected'] as const

export const Asset = type({
  ...entity,
  release_id: Id,
  name: string(),
  kind: enums(assetKinds),
  size: integer(),
  sha256: nullable(Sha256),
  content_type: string(),
  install_location: nullable(string()),
  mode: nullable(string()),
  state: enums(assetStates),
  reject_reason: nullable(string()),
  download_count: integer(),
})
export type Asset = Infer<typeof Asset>

export const Signature = type({
  key_id: Id,
  key_name: string(),
  fingerprint: string(),
  algorithm: string(),
  signed_at: Timestamp,
  signed_by: Maker,
})

export const Release = type({
  ...entity,
  project_id: Id,
  created_by: nullable(Maker),
  name: string(),
  version: integer(),
  display_version: nullable(string()),
  type: enums(releaseTypes),
  description: string(),
  notes: string(),
  hardware_models: array(string()),
  min_installed_version: nullable(integer()),
  rollback_version: nullable(integer()),
  /** Versions that may go back to this one: devices obey this signed list alone. */
  allow_downgrade_from: optional(array(integer())),
  hooks: type({ pre_install: nullable(Id), post_install: nullable(Id), post_reboot: nullable(Id) }),
  reboot: enums(rebootRules),
  assets: array(Asset),
  manifest: nullable(
    type({ sha256: Sha256, size: integer(), payload_type: string(), created_at: Timestamp, expires_at: Timestamp }),
  ),
  signatures: array(Signature),
  state: enums(releaseStates),
  state_reason: nullable(string()),
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

const read = holds(of('release', 'releaseId'), 'project:view')
const write = holds(of('release', 'releaseId'), 'project:manage_releases')

const version = whole('Version', 1)
const displayVersion = optional(
  nullable(pattern('pattern', /^[\w.+-]{1,64}$/, 'Use letters, digits, dots, dashes, plus and underscores')),
)
const models = refine(
  array(text('Hardware model', { max: 63 })),
  'required',
  (value) => value.length > 0 || 'Hardware models is required',
)
const common = {
  description: optional(text('Description', { min: 0, max: 512, lines: true })),
  notes: optional(text('Notes', { min: 0, max: 65_536, lines: true })),
}
const draft = {
  display_version: displayVersion,
  min_installed_version: optional(nullable(whole('Minimum installed version', 0))),
  rollback_version: optional(nullable(whole('Rollback version', 0))),
  allow_downgrade_from: optional(
    refine(array(version), 'too_many', (value) => value.length <= 1000 || 'Name at most 1,000 versions'),
  ),
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
  summary: 'The releases of a project, newest version first.',
  needs: holds(inProject, 'project:view'),
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
  summary: 'Makes a draft.',
  needs: holds(inProject, 'project:manage_releases'),
  audit: 'release.create',
  rate: 'write',
  body: NewRelease,
  answer: Release,
  status: 201,
})
export const nextVersion = endpoint({
  method: 'GET',
  path: '/projects/:projectId/releases/next_version',
  summary: 'The number the form proposes.',
  needs: holds(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: type({ version: integer() }),
})
export const release = endpoint({
  method: 'GET',
  path: '/releases/:releaseId',
  summary: 'One release with its assets and signatures.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: Release,
})
export const updateRelease = endpoint({
  method: 'PATCH',
  path: '/releases/:releaseId',
  summary: 'All of a draft; later only description and notes.',
  needs: write,
  audit: 'release.update',
  rate: 'write',
  conditional: true,
  body: ReleaseChange,
  answer: Release,
})
export const deleteRelease = endpoint({
  method: 'DELETE',
  path: '/releases/:releaseId',
  summary: 'Deletes a draft.',
  needs: write,
  audit: 'release.delete',
  rate: 'write',
  conditional: true,
  answer: 'none',
})

export const NewAsset = object({
  name: AssetName,
  kind: enums(assetKinds),
  size: refine(integer(), 'file_too_large', (value) =>
    value <= 0 ? 'The file is empty' : value <= maxUploadBytes || 'File size must be less than 3.5 GB',
  ),
  sha256: optional(Sha256),
  install_location: optional(nullable(InstallLocation)),
  mode: optional(nullable(FileMode)),
})
export const createAsset = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/assets',
  summary: 'Names a file that will be uploaded (state expected).',
  needs: write,
  audit: 'asset.create',
  rate: 'write',
  body: NewAsset,
  answer: Asset,
  status: 201,
})
export const deleteAsset = endpoint({
  method: 'DELETE',
  path: '/releases/:releaseId/assets/:assetId',
  summary: 'Takes a file out of a draft.',
  needs: write,
  audit: 'asset.delete',
  rate: 'write',
  answer: 'none',
})
export const assetLink = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/assets/:assetId/link',
  summary: 'A signed address, good for 15 minutes.',
  needs: read,
  audit: 'asset.link',
  rate: 'read',
  answer: type({ url: string(), expires_at: Timestamp }),
})

export const ToSign = type({
  manifest_sha256: Sha256,
  payload_type: string(),
  payload_base64: string(),
  to_sign_base64: string(),
  pae_sha256: Sha256,
  command: string(),
})
export type ToSign = Infer<typeof ToSign>
export const finalizeRelease = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/finalize',
  summary: 'Checks everything and builds the manifest that is to be signed.',
  needs: write,
  audit: 'release.finalize',
  rate: 'write',
  body: object({ expires_at: optional(Timestamp) }),
  answer: type({ release: Release, to_sign: ToSign }),
})
export const releaseToSign = endpoint({
  method: 'GET',
  path: '/releases/:releaseId/to_sign',
  summary: 'The bytes to sign, while a signature is awaited.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: ToSign,
})
export const signRelease = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/signatures',
  summary: 'A signature that was made in the browser or by a command; 422 bad_signature.',
  needs: write,
  audit: 'release.sign',
  rate: 'write',
  body: object({
    key_id: Id,
    signature_base64: pattern('base64', /^[A-Za-z0-9+/]{16,1024}={0,2}$/, 'The signature must be base 64'),
  }),
  answer: Release,
})
export const releaseManifest = endpoint({
  method: 'GET',
  path: '/releases/:releaseId/manifest',
  summary: 'The DSSE envelope, byte for byte what devices get.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: 'bytes',
})
/** The signature of the link stands for the right of whoever asked for it: a browser's download carries no session header. */
export const downloadAsset = endpoint({
  method: 'GET',
  path: '/downloads/:assetId',
  summary: 'The bytes behind a signed link; takes Range.',
  needs: anyone,
  audit: 'none',
  rate: 'read',
  query: object({
    exp: pattern('time', /^\d{10}$/, 'The link is not whole'),
    sig: pattern('signature', /^[\w-]{43}$/, 'The link is not whole'),
  }),
  answer: 'bytes',
})
export const revokeRelease = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/revoke',
  summary: 'No device gets it any more; its rollouts are cancelled.',
  needs: write,
  audit: 'release.revoke',
  rate: 'write',
  body: object({ reason: text('Reason', { max: 500 }) }),
  answer: Release,
})
export const archiveRelease = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/archive',
  summary: 'Puts a release away.',
  needs: write,
  audit: 'release.archive',
  rate: 'write',
  answer: Release,
})
