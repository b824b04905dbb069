import { array, type Infer, integer, nullable, object, optional, record, string, type } from 'superstruct'
import { endpoint, requires, onObject } from './endpoint'
import { listQuery } from './lists'
import { text, integerParam } from './rules'
import { Timestamp } from './shapes'

const read = requires(onObject('device', 'deviceId'), 'device:view')

export const LogLine = type({
  sequence: integer(),
  ts_ms: integer(),
  received_at: Timestamp,
  level: string(),
  unit: nullable(string()),
  pid: nullable(integer()),
  boot_id: nullable(string()),
  message: string(),
  fields: record(string(), string()),
})
export type LogLine = Infer<typeof LogLine>
export const deviceSystemLogs = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/system_logs',
  summary: 'List log lines of a device by sequence number. `after_sequence` returns the newer lines.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({
    limit: listQuery.limit,
    q: listQuery.q,
    level_max: optional(text('Level', { max: 8 })),
    unit: optional(text('Unit', { max: 128 })),
    boot_id: optional(text('Boot', { max: 64 })),
    after_sequence: optional(integerParam('Sequence', 0)),
    before_sequence: optional(integerParam('Sequence', 0)),
  }),
  answer: type({
    lines: array(LogLine),
    next_cursor: nullable(string()),
    dropped: integer(),
    units: array(string()),
    boots: array(type({ boot_id: string(), first_ts_ms: integer() })),
  }),
})
