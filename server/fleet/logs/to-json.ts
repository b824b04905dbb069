import { logLevels } from '../../../contract/device/config-fields'
import type { LogLine } from '../../../contract/fleet/device-logs'
import { formatTimestamp } from '../../core/timestamps'
import type { LogRow } from './repository'

export const logLineToJson = (row: LogRow): LogLine => ({
  sequence: row.sequence,
  ts_ms: row.tsMs,
  received_at: formatTimestamp(row.receivedAt),
  level: logLevels[row.level] ?? 'debug',
  unit: row.unit,
  pid: row.pid,
  boot_id: row.bootId,
  message: row.message,
  fields: row.fields,
})
