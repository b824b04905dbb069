import type { Asset } from '../../../../contract/updates/release-assets'
import { entityToJson, formatTimestampOrNull } from '../../../core/timestamps'
import type { AssetRow } from './repository'

export const assetToJson = (row: AssetRow): Asset => ({
  ...entityToJson(row),
  release_id: row.releaseId,
  name: row.name,
  kind: row.kind,
  size: row.size,
  sha256: row.sha256,
  content_type: row.contentType,
  install_location: row.installLocation,
  mode: row.mode,
  state: row.state,
  reject_reason: row.rejectReason,
  damaged_at: formatTimestampOrNull(row.damagedAt),
  download_count: row.downloadCount,
})
