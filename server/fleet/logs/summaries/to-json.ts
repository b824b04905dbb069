import type { LogSummary } from '../../../../contract/fleet/log-summaries'
import { entityToJson, formatTimestamp } from '../../../core/timestamps'
import type { LogSummaryRow } from './repository'

/** `oldest`: when the oldest line arrived that the log of the device still has; undefined if it has none. */
export const logSummaryToJson = (row: LogSummaryRow, oldest: Date | undefined): LogSummary => ({
  ...entityToJson(row),
  device_id: row.deviceId,
  from: formatTimestamp(row.from),
  to: formatTimestamp(row.to),
  state: 'ready',
  method: 'rules',
  engine_version: row.engineVersion,
  input_hash: row.inputHash,
  line_count: row.lineCount,
  is_log_removed: row.lineCount > 0 && (oldest === undefined || oldest > row.to),
  cut: row.cut,
  verdict: row.verdict,
  ...row.content,
})
