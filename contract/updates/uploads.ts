import { array, enums, type Infer, integer, nullable, object, optional, string, type } from 'superstruct'
import { endpoint, type Needs, onObject, session } from '../core/endpoint'
import { Id, Timestamp } from '../core/shapes'

export const uploadPurposes = ['release_asset', 'bundle_artifact', 'import'] as const
export const uploadStates = ['open', 'verifying', 'complete', 'failed', 'expired'] as const
/** How many bytes of the beginning and of the end of a file the fingerprint covers. */
export const fingerprintBytes = 1024 * 1024

export const Upload = type({
  id: Id,
  file_name: string(),
  size: integer(),
  offset: integer(),
  sha256: nullable(string()),
  /**
   * SHA-256, in hex, of the first MiB, the last MiB and the size (decimal digits); of the whole file and the size where both
   * would overlap. Distinguishes the file from another one of the same name and size before anything is sent again.
   */
  fingerprint: nullable(string()),
  purpose: enums(uploadPurposes),
  target_id: Id,
  state: enums(uploadStates),
  created_at: Timestamp,
  expires_at: Timestamp,
  error: nullable(string()),
})
export type Upload = Infer<typeof Upload>

export const uploads = endpoint({
  method: 'GET',
  path: '/uploads',
  summary: 'List the uploads of the caller, so that unfinished ones can be resumed.',
  needs: session,
  tokens: true,
  audit: 'none',
  rate: 'read',
  query: object({ state: optional(enums(uploadStates)) }),
  answer: type({ uploads: array(Upload) }),
})
export const upload = endpoint({
  method: 'GET',
  path: '/uploads/:uploadId',
  summary: "Get one of the caller's uploads.",
  needs: { kind: 'self', scope: onObject('upload', 'uploadId') },
  tokens: true,
  audit: 'none',
  rate: 'read',
  answer: Upload,
})
/** The right may be lost during the upload: it is checked with every call that sends bytes or ends the upload. */
const sending = {
  kind: 'self',
  scope: onObject('upload', 'uploadId'),
  and: ['project:manage_releases'],
} as const satisfies Needs

/**
 * tus 1.0: POST creates the upload (metadata filename, purpose, target_id, sha256, fingerprint), PATCH sends, HEAD returns the
 * offset, DELETE ends it. PATCH and HEAD may repeat sha256 and fingerprint: 412 `other_content` if they differ from the stored
 * ones. An upload with a fingerprint is complete only when its sha256 is known, at the latest by a PATCH without bytes after
 * the last one.
 *
 * A target has one open upload. A new one ends it if its sender may no longer complete it, if the same person has begun it and sent
 * no byte, or if the file is a damaged one of a signed release; otherwise it is refused with 409.
 */
export const createUpload = endpoint({
  method: 'POST',
  path: '/uploads',
  summary: 'Create an upload (tus). Needs the permission for the object that receives the bytes.',
  needs: session,
  tokens: true,
  audit: 'none',
  rate: 'upload',
  needsSpace: true,
  accepts: 'bytes',
  answer: 'none',
  status: 201,
})
export const sendUpload = endpoint({
  method: 'PATCH',
  path: '/uploads/:uploadId',
  summary: 'Send bytes from the offset that the server named (tus PATCH).',
  needs: sending,
  tokens: true,
  audit: 'asset.upload',
  rate: 'upload',
  needsSpace: true,
  accepts: 'bytes',
  answer: 'none',
})
export const uploadOffset = endpoint({
  method: 'HEAD',
  path: '/uploads/:uploadId',
  summary: 'Get the number of bytes stored (tus HEAD).',
  needs: sending,
  tokens: true,
  audit: 'none',
  rate: 'upload',
  accepts: 'bytes',
  answer: 'none',
  status: 200,
})
export const deleteUpload = endpoint({
  method: 'DELETE',
  path: '/uploads/:uploadId',
  summary: 'Cancel an upload (tus termination).',
  needs: { kind: 'self', scope: onObject('upload', 'uploadId') },
  tokens: true,
  audit: 'none',
  rate: 'upload',
  accepts: 'bytes',
  answer: 'none',
})
