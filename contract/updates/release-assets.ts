import { enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { AssetName, assetKinds, FileMode, InstallLocation } from '../device/manifest-fields'
import { publicAccess, endpoint, requires, onObject } from '../core/endpoint'
import { maxUploadBytes } from '../core/limits'
import { pattern } from '../core/rules'
import { entity, Id, Sha256, Timestamp } from '../core/shapes'

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
  /** When the stored bytes were found to differ from the uploaded ones. */
  damaged_at: optional(nullable(Timestamp)),
  download_count: integer(),
})
export type Asset = Infer<typeof Asset>

const read = requires(onObject('release', 'releaseId'), 'project:view')
const write = requires(onObject('release', 'releaseId'), 'project:manage_releases')

// Only for new names: manifests signed with such a name stay valid.
const NewAssetName = refine(AssetName, 'name', (name) => !name.includes('\\') || 'A name has no backslash')

export const NewAsset = object({
  name: NewAssetName,
  kind: enums(assetKinds),
  size: refine(integer(), 'file_too_large', (value) =>
    value <= 0 ? 'The file is empty' : value <= maxUploadBytes || 'File size must be less than 3.5 GB',
  ),
  sha256: optional(Sha256),
  install_location: optional(nullable(InstallLocation)),
  /** Without one, a payload gets it when its upload is complete: programs and scripts 0755, others 0644. */
  mode: optional(nullable(FileMode)),
})
export const createAsset = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/assets',
  summary: 'Add a file to a draft before its upload (state expected).',
  needs: write,
  audit: 'asset.create',
  rate: 'write',
  body: NewAsset,
  answer: Asset,
  status: 201,
})
/** `null` removes a value. A file that is no hook any more runs nowhere. */
export const AssetChange = object({
  kind: optional(enums(assetKinds)),
  install_location: optional(nullable(InstallLocation)),
  mode: optional(nullable(FileMode)),
})
export const updateAsset = endpoint({
  method: 'PATCH',
  path: '/releases/:releaseId/assets/:assetId',
  summary: 'Change the kind, install location or mode of a file of a draft.',
  needs: write,
  audit: 'asset.update',
  rate: 'write',
  conditional: true,
  body: AssetChange,
  answer: Asset,
})
export const deleteAsset = endpoint({
  method: 'DELETE',
  path: '/releases/:releaseId/assets/:assetId',
  summary: 'Remove a file from a draft.',
  needs: write,
  audit: 'asset.delete',
  rate: 'write',
  answer: 'none',
})
export const assetLink = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/assets/:assetId/link',
  summary: 'Create a signed download link, valid for 15 minutes.',
  needs: read,
  audit: 'asset.link',
  rate: 'read',
  answer: type({ url: string(), expires_at: Timestamp }),
})

/** The link's signature replaces the session: a browser's download sends no session header. */
export const downloadAsset = endpoint({
  method: 'GET',
  path: '/downloads/:assetId',
  summary: 'Download a file by a signed link. Accepts Range.',
  needs: publicAccess,
  audit: 'none',
  rate: 'read',
  query: object({
    exp: pattern('time', /^\d{10}$/, 'The link is incomplete'),
    sig: pattern('signature', /^[\w-]{43}$/, 'The link is incomplete'),
  }),
  answer: 'bytes',
})
