import type { Upload } from '../../../contract/updates/uploads'
import { formatTimestamp } from '../../core/timestamps'
import type { UploadRow } from './repository'

export const uploadToJson = (row: UploadRow): Upload => ({
  id: row.id,
  file_name: row.fileName,
  size: row.size,
  offset: row.offset,
  sha256: row.sha256,
  fingerprint: row.fingerprint,
  purpose: row.purpose,
  target_id: row.targetId,
  state: row.state,
  created_at: formatTimestamp(row.createdAt),
  expires_at: formatTimestamp(row.expiresAt),
  error: row.error,
})
