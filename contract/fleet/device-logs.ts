import { array, boolean, enums, type Infer, integer, nullable, object, optional, record, string, type } from 'superstruct'
import { endpoint, requires, onObject } from '../core/endpoint'
import { listQuery } from '../core/lists'
import { text, integerParam } from '../core/rules'
import { Timestamp } from '../core/shapes'

const read = requires(onObject('device', 'deviceId'), 'device:view')

/** With a filter, a request looks at so many lines and then says where to continue, so that it reads no more of a longer log. */
export const examinedLines = 20_000

/** The lines that a volume counts: of a span with more, the newest ones. */
export const countedLines = 50_000

/**
 * `from`, `to` and `at` are in milliseconds since 1970, by the clock of the device; of a line whose clock was wrong, by the time of
 * arrival. `unit` may list several, separated by commas.
 */
const filters = {
  q: listQuery.q,
  level_max: optional(text('Level', { max: 8 })),
  unit: optional(text('Unit', { max: 2000 })),
  boot_id: optional(text('Boot', { max: 64 })),
  from: optional(integerParam('From', 0)),
  to: optional(integerParam('To', 0)),
}

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
  summary: 'List log lines of a device by sequence number. `after_sequence` returns the newer lines, `at` those from a time on.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({
    limit: listQuery.limit,
    ...filters,
    at: optional(integerParam('At', 0)),
    after_sequence: optional(integerParam('Sequence', 0)),
    before_sequence: optional(integerParam('Sequence', 0)),
  }),
  answer: type({
    lines: array(LogLine),
    /** Where to continue in the same direction, as `before_sequence` or `after_sequence`. */
    next_cursor: nullable(string()),
    /** Of the whole log, 0 without a line: a tail continues here. */
    newest_sequence: integer(),
    /** The first sequence number at or after `at`. */
    at_sequence: nullable(integer()),
    /** The oldest line that is kept, where the answer reaches it. `is_cut`: there were lines before it. */
    oldest: nullable(type({ sequence: integer(), ts_ms: integer(), is_cut: boolean() })),
    kept: type({ days: integer(), lines: integer() }),
    dropped: integer(),
    units: array(string()),
    boots: array(type({ boot_id: string(), first_ts_ms: integer() })),
  }),
})

export const logVolumeHours = ['1', '6', '24'] as const

export const deviceLogVolume = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/system_logs/volume',
  summary: 'Count the log lines of a device over a span of hours that ends at `to`, otherwise at the newest line.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({ to: optional(integerParam('To', 0)), hours: optional(enums(logVolumeHours)) }),
  answer: type({
    from: integer(),
    to: integer(),
    step_ms: integer(),
    /** Intervals without a line are left out. */
    buckets: array(type({ ts_ms: integer(), error: integer(), warning: integer(), other: integer() })),
    /** The span has more lines than are counted: the time of the oldest that is. */
    counted_from: nullable(integer()),
  }),
})

export const logExportFormats = ['ndjson', 'text'] as const
export const exportSystemLogs = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/system_logs/export',
  summary: 'Export the log lines of a device as a file, oldest first.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({ ...filters, format: optional(enums(logExportFormats)) }),
  answer: 'bytes',
})
