import type { LogSummary } from '../../../../contract/log-summaries'
import { entityToJson, formatTimestamp } from '../../../core/timestamps'
import type { LogSummaryRow } from './repository'

export const logSummaryToJson = (row: LogSummaryRow): LogSummary => ({
  ...entityToJson(row),
  device_id: row.deviceId,
  from: formatTimestamp(row.from),
  to: formatTimestamp(row.to),
  state: 'ready',
  method: 'rules',
  engine_version: row.engineVersion,
  input_hash: row.inputHash,
  line_count: row.lineCount,
  cut: row.cut,
  verdict: row.verdict,
  ...row.content,
})
