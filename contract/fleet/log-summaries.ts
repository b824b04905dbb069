import { array, boolean, enums, type Infer, integer, nullable, object, optional, string, type } from 'superstruct'
import { endpoint, requires, onObject } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { entity, Id, Sha256, Timestamp } from '../core/shapes'

export const summaryVerdicts = ['normal', 'notable', 'problem', 'critical'] as const
export const SummaryVerdict = enums(summaryVerdicts)
export type SummaryVerdict = Infer<typeof SummaryVerdict>

/** A line that a finding cites; copied, so that it stays readable after the log was deleted. */
const CitedLine = type({ sequence: integer(), ts_ms: integer(), unit: nullable(string()), message: string() })

export const Finding = type({
  rule_id: string(),
  severity: SummaryVerdict,
  sentence: string(),
  count: integer(),
  first_ts_ms: integer(),
  last_ts_ms: integer(),
  cited: array(CitedLine),
  step: nullable(string()),
})
export type Finding = Infer<typeof Finding>

const Counts = { error: integer(), warning: integer(), other: integer() }

/** A summary of a device's log lines in a time range, by readable rules: the same lines give the same summary. */
export const LogSummary = type({
  ...entity,
  device_id: Id,
  from: Timestamp,
  to: Timestamp,
  state: enums(['queued', 'running', 'ready', 'failed']),
  method: enums(['rules']),
  engine_version: integer(),
  /** SHA-256 of the summarized lines. */
  input_hash: Sha256,
  line_count: integer(),
  /** Its lines were removed from the log since. */
  is_log_removed: boolean(),
  /** There were more lines than are read at once: only the newest ones were read. */
  cut: boolean(),
  boot_count: integer(),
  first_ts_ms: nullable(integer()),
  last_ts_ms: nullable(integer()),
  verdict: SummaryVerdict,
  headline: string(),
  findings: array(Finding),
  levels: array(type({ level: string(), count: integer() })),
  units: array(type({ unit: string(), ...Counts })),
  /** Messages that differ in variable parts only, under one pattern; most frequent first. */
  templates: array(
    type({
      pattern: string(),
      unit: nullable(string()),
      level: string(),
      count: integer(),
      is_new: boolean(),
      example: string(),
      first_ts_ms: integer(),
      last_ts_ms: integer(),
    }),
  ),
  timeline: array(type({ ts_ms: integer(), ...Counts })),
  boots: array(type({ boot_id: string(), ts_ms: integer(), lines: integer() })),
  gaps: array(type({ from_ts_ms: integer(), to_ts_ms: integer(), rebooted: boolean() })),
})
export type LogSummary = Infer<typeof LogSummary>

const read = requires(onObject('device', 'deviceId'), 'device:view')

export const logSummaries = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/log_summaries',
  summary: 'List the log summaries of a device, newest first.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({ limit: listQuery.limit, cursor: listQuery.cursor }),
  answer: listOf('log_summaries', LogSummary),
})
export const createLogSummary = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/log_summaries',
  summary: 'Create a summary of the log of a period, with its findings.',
  needs: requires(onObject('device', 'deviceId'), 'project:manage_devices'),
  audit: 'none',
  rate: 'write',
  needsSpace: true,
  body: object({ from: Timestamp, to: Timestamp, method: optional(enums(['rules'])) }),
  answer: LogSummary,
  status: 202,
})
export const logSummary = endpoint({
  method: 'GET',
  path: '/log_summaries/:logSummaryId',
  summary: 'Get a log summary.',
  needs: requires(onObject('log_summary', 'logSummaryId'), 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: LogSummary,
})
export const logSummaryPlaintext = endpoint({
  method: 'GET',
  path: '/log_summaries/:logSummaryId/plaintext',
  summary: 'Get a log summary as text, for a ticket or a mail.',
  needs: requires(onObject('log_summary', 'logSummaryId'), 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: 'text',
})
