import { array, enums, type Infer, integer, nullable, object, optional, string, type } from 'superstruct'
import { endpoint, of, session } from './endpoint'
import { Id, Timestamp } from './shapes'

export const uploadPurposes = ['release_asset', 'bundle_artifact', 'import'] as const
export const uploadStates = ['open', 'verifying', 'complete', 'failed', 'expired'] as const
export const Upload = type({
  id: Id,
  file_name: string(),
  size: integer(),
  offset: integer(),
  sha256: nullable(string()),
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
  summary: "The caller's uploads, to offer the unfinished ones again.",
  needs: session,
  audit: 'none',
  rate: 'read',
  query: object({ state: optional(enums(uploadStates)) }),
  answer: type({ uploads: array(Upload) }),
})
/** tus 1.0: POST makes the upload (metadata filename, purpose, target_id, sha256), PATCH sends, HEAD tells the offset, DELETE ends it. */
export const createUpload = endpoint({
  method: 'POST',
  path: '/uploads',
  summary: 'tus creation: needs the right over the thing that receives the bytes.',
  needs: session,
  audit: 'none',
  rate: 'upload',
  accepts: 'bytes',
  answer: 'none',
  status: 201,
})
export const sendUpload = endpoint({
  method: 'PATCH',
  path: '/uploads/:uploadId',
  summary: 'tus PATCH: bytes from the offset the server named.',
  needs: { kind: 'self', scope: of('upload', 'uploadId') },
  audit: 'asset.upload',
  rate: 'upload',
  accepts: 'bytes',
  answer: 'none',
})
export const uploadOffset = endpoint({
  method: 'HEAD',
  path: '/uploads/:uploadId',
  summary: 'tus HEAD: how many bytes are safe here.',
  needs: { kind: 'self', scope: of('upload', 'uploadId') },
  audit: 'none',
  rate: 'upload',
  accepts: 'bytes',
  answer: 'none',
  status: 200,
})
export const deleteUpload = endpoint({
  method: 'DELETE',
  path: '/uploads/:uploadId',
  summary: 'tus termination.',
  needs: { kind: 'self', scope: of('upload', 'uploadId') },
  audit: 'none',
  rate: 'upload',
  accepts: 'bytes',
  answer: 'none',
})
