import { enums, type Infer, object, optional, refine, type Struct, type } from 'superstruct'
import { maxUploadBytes } from '../../../contract/core/limits'
import { pattern, text } from '../../../contract/core/rules'
import { checkFields } from '../../../contract/core/field-errors'
import { Id, Sha256 } from '../../../contract/core/shapes'
import { refuse, refuseField } from '../../core/http/refuse'

/** Metadata from the client (tus `Upload-Metadata`). The name is returned and never becomes a path (T-15). */
const Metadata = object({
  filename: refine(text('File name', { max: 255 }), 'path', (value) => !/[/\\]/.test(value) || 'A file name has no slashes'),
  purpose: enums(['release_asset', 'bundle_artifact'] as const),
  target_id: Id,
  sha256: optional(Sha256),
  fingerprint: optional(Sha256),
  role: optional(text('Role', { max: 64 })),
  filetype: optional(pattern('type', /^[\w.+-]{1,64}\/[\w.+-]{1,128}$/, 'A media type')),
})
export type UploadMetadata = Infer<typeof Metadata>

/** Identifies the file to continue, sent again with its bytes. Other metadata counts at the creation only. */
const Identity = type({ sha256: optional(Sha256), fingerprint: optional(Sha256) })
export type Identity = Infer<typeof Identity>

const present = (metadata: Record<string, string | null | undefined>) =>
  Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null && value !== undefined && value !== ''))

const readAs = <T, S>(metadata: Record<string, string | null> | undefined, struct: Struct<T, S>): T => {
  const [details, valid] = checkFields(present(metadata ?? {}), struct)
  return details ? refuse(422, 'invalid', { details }) : valid
}

export const readMetadata = (metadata: Record<string, string | null> | undefined): UploadMetadata => readAs(metadata, Metadata)
export const readIdentity = (metadata: Record<string, string | null> | undefined): Identity => readAs(metadata, Identity)

/** The declared length in bytes: 400 if it is no integer, 422 for 0, 413 above the limit. */
export const readLength = (header: string | undefined): number => {
  if (header === undefined) return refuse(400, 'malformed', { message: 'Upload-Length is required' })
  if (!/^\d+$/.test(header)) return refuse(400, 'malformed', { message: 'Upload-Length must be a whole number of bytes' })
  const size = Number(header)
  if (size === 0) return refuseField('size', 'empty', 'The file is empty')
  return size <= maxUploadBytes ? size : refuse(413, 'file_too_large', { about: { max_bytes: maxUploadBytes } })
}
