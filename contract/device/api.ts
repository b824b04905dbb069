import {
  array,
  boolean,
  enums,
  type Infer,
  integer,
  nullable,
  number,
  object,
  optional,
  record,
  refine,
  size,
  string,
  type,
} from 'superstruct'
import { boundedList, boundedRecord, sizeFirst } from '../core/bounded'
import { boundedOneOf } from '../core/bounded-one-of'
import { boundedInteger, pattern, text, withQuickCheck } from '../core/rules'
import { SecureBootReport } from './secure-boot-report'
import { Id, Sha256 } from '../core/shapes'
import { logLevels } from './config-fields'
import { deviceEventTypes, failureCodes } from './update-events'

const serial = pattern(
  'serial_number',
  /^[\x21-\x7e]{1,128}$/,
  'Serial number must be 1 to 128 printable characters without spaces',
)
const model = pattern('hardware_model', /^[\x21-\x7e]{1,64}$/, 'Hardware model must be a model id without spaces')
const uuid = pattern('uuid', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'Must be a UUID in lower case')
const version = boundedInteger('Version', 1)
const maxTime = 8_640_000_000_000_000
const moment = boundedInteger('Time', 0, maxTime)
const finite = refine(number(), 'finite', (value) => Number.isFinite(value) || 'Must be a finite number')

/** The device's own description of itself; at most 100 keys. */
export const Attributes = boundedRecord(
  pattern('attribute', /^[a-z][a-z0-9_.]{0,62}$/, 'Attribute names are lower-case letters, digits, dots and underscores'),
  boundedOneOf([text('Value', { min: 0, max: 512 }), finite, boolean()]),
  100,
  'A device can have at most 100 attributes',
)
export type Attributes = Infer<typeof Attributes>

const Client = object({
  name: text('Client', { max: 64 }),
  version: text('Client version', { max: 64 }),
  config_hash: Sha256,
})
const trustedKeys = boundedList(Sha256, 8)
export const slots = ['a', 'b'] as const
const slot = nullable(enums(slots))

/** Ed25519 over `enrollmentProof()`: shows that a known serial number is the same device. */
const Proof = object({ issued_ms: moment, signature: text('Signature', { max: 128 }) })

export const EnrollBody = object({
  serial_number: serial,
  hardware_model: model,
  name: optional(text('Name', { max: 100 })),
  attributes: optional(Attributes),
  trusted_keys: trustedKeys,
  client: Client,
  /** The interval of its configuration; the project's if it has none. */
  polling_interval_s: optional(boundedInteger('Polling interval', 30, 604_800)),
  /** The device's own key: base 64 of the raw Ed25519 key. */
  public_key: optional(pattern('public_key', /^[A-Za-z0-9+/]{43}=$/, 'Public key must be base 64 of 32 bytes')),
  proof: optional(Proof),
})
export type EnrollBody = Infer<typeof EnrollBody>

export const EnrollAnswer = type({
  device_id: Id,
  device_token: string(),
  project_id: optional(Id),
  lifecycle: enums(['active', 'pending']),
  polling_interval_s: integer(),
})
export type EnrollAnswer = Infer<typeof EnrollAnswer>

export const Installed = object({ release_id: Id, version, slot, confirmed: boolean() })
export type Installed = Infer<typeof Installed>

/** The counter of a key list is stored in 32 bits. */
export const maxKeyListCounter = 2_147_483_647

export const CheckInBody = object({
  boot_id: uuid,
  uptime_s: boundedInteger('Uptime', 0),
  installed: nullable(Installed),
  trusted_keys: trustedKeys,
  /** The counter of the key list that the device holds, 0 before the first. Missing for clients that know no key lists. */
  key_list_counter: optional(boundedInteger('Counter', 0, maxKeyListCounter)),
  secure_boot: SecureBootReport,
  battery_percent: optional(refine(finite, 'percent', (value) => (value >= 0 && value <= 100) || 'Battery must be 0 to 100')),
  attributes_hash: Sha256,
  client: optional(Client),
  /** The interval of its configuration: only a change of it counts, so that the console can decide too. */
  polling_interval_s: optional(boundedInteger('Polling interval', 30, 604_800)),
})
export type CheckInBody = Infer<typeof CheckInBody>

export const Command = type({ id: Id, command: string(), args: record(string(), boundedOneOf([string(), number(), boolean()])) })
export type Command = Infer<typeof Command>

export const CheckInAnswer = type({
  polling_interval_s: integer(),
  commands: array(Command),
  want_attributes: boolean(),
  /** The minimum level to send from now on; null leaves it to the device's own configuration. */
  log_level: nullable(enums(logLevels)),
  update_available: boolean(),
  /** Whether there is a key list that the device can verify. */
  key_list_available: optional(boolean()),
  /** The project of a device that was moved from another one. */
  project_id: optional(Id),
  /** The last sequence of the update events that the server has: a device that has lost its state continues after it. */
  event_sequence: optional(integer()),
  server_time_ms: integer(),
})
export type CheckInAnswer = Infer<typeof CheckInAnswer>

/** Why there is nothing to install now: header `X-Reason` of a 204. */
export const noUpdateReasons = [
  'up_to_date',
  'waiting_for_wave',
  'window_closed',
  'slot_busy',
  'paused',
  'not_targeted',
  'disabled',
  'pending_acceptance',
  'key_not_trusted',
] as const
export type NoUpdateReason = (typeof noUpdateReasons)[number]

export const DeviceEvent = object({
  event_id: uuid,
  sequence: boundedInteger('Sequence', 1),
  type: enums(deviceEventTypes),
  rollout_id: nullable(Id),
  /** Null when the manifest was refused before its content was trusted; the rollout identifies the release. */
  release_id: nullable(Id),
  version: nullable(version),
  reason_code: optional(enums(failureCodes)),
  message: optional(text('Message', { min: 0, max: 1024, lines: true })),
  progress_percent: optional(refine(finite, 'percent', (value) => (value >= 0 && value <= 100) || 'Progress must be 0 to 100')),
  bytes_done: optional(boundedInteger('Bytes', 0)),
  bytes_total: optional(boundedInteger('Bytes', 0)),
  duration_ms: optional(boundedInteger('Duration', 0)),
  slot: optional(slot),
  boot_id: optional(uuid),
  key_fingerprint: optional(Sha256),
  ts_ms: moment,
})
export type DeviceEvent = Infer<typeof DeviceEvent>

export const UpdateEventsBody = object({ events: size(boundedList(DeviceEvent, 100), 1, 100) })
export type UpdateEventsBody = Infer<typeof UpdateEventsBody>

/** A rejected event is not sent again: the device drops it like an accepted one. */
export const UpdateEventsAnswer = type({
  accepted: integer(),
  duplicates: integer(),
  rejected: array(type({ event_id: string(), code: string() })),
  abort: boolean(),
})
export type UpdateEventsAnswer = Infer<typeof UpdateEventsAnswer>

const metricName = /^[a-z][a-z0-9_.]{0,62}$/
const MetricName = pattern('metric_name', metricName, 'Metric names are lower-case letters, digits, dots and underscores')
const unit = text('Unit', { max: 16 })
export const MetricPoint = object({ name: MetricName, unit: optional(unit), ts_ms: moment, value: finite })
export type MetricPoint = Infer<typeof MetricPoint>

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const mostPoints = 2000
const tooManyPoints = `At most ${mostPoints} points in one call`
const countOf = (value: unknown) => (Array.isArray(value) ? value.length : 1)
const Series = sizeFirst(record(MetricName, array(nullable(finite))), (series) => {
  const counts = isObject(series) ? Object.values(series).map(countOf) : []
  return counts.length > mostPoints || counts.reduce((sum, count) => sum + count, 0) > mostPoints ? tooManyPoints : null
})

const columns = refine(
  object({
    ts_ms: size(boundedList(moment, mostPoints), 1, mostPoints),
    series: Series,
    units: optional(boundedRecord(MetricName, unit, mostPoints)),
  }),
  'columns',
  ({ ts_ms, series }) =>
    Object.values(series).every((values) => values.length === ts_ms.length) || 'Each series needs one value for each time',
)

const plainUnit = /^[!-~]{1,16}$/
const isPlainPoint = (value: unknown): boolean => {
  if (!isObject(value)) return false
  const { name, unit: of, ts_ms, value: amount } = value
  const isUnit = typeof of === 'string' && plainUnit.test(of)
  const isTime = typeof ts_ms === 'number' && Number.isInteger(ts_ms) && ts_ms >= 0 && ts_ms <= maxTime
  // Four keys, so no other than these.
  const isWhole = isUnit && isTime && typeof name === 'string' && metricName.test(name) && Object.keys(value).length === 4
  return isWhole && typeof amount === 'number' && Number.isFinite(amount)
}
const isPlainBatch = (value: unknown): boolean => {
  if (!isObject(value) || !Array.isArray(value.points) || Object.keys(value).length !== 1) return false
  const { length } = value.points
  return length >= 1 && length <= 2000 && value.points.every(isPlainPoint)
}

/**
 * Single points, or columns with one list of times; a null in a column is a missing value. Points of the agent are checked quickly:
 * by the struct alone it takes longer than all the rest of the answer.
 */
export const MetricsBody = withQuickCheck(
  boundedOneOf([object({ points: size(boundedList(MetricPoint, mostPoints), 1, mostPoints) }), columns]),
  isPlainBatch,
)
export type MetricsBody = Infer<typeof MetricsBody>
export const MetricsAnswer = type({ accepted: integer(), dropped: integer(), reasons: record(string(), integer()) })
export type MetricsAnswer = Infer<typeof MetricsAnswer>

/** One line of the NDJSON body of `/logs`; the server cuts and escapes, so the struct accepts more than what is stored (T-19). */
export const LogLine = object({
  sequence: boundedInteger('Sequence', 1),
  ts_ms: moment,
  level: enums(logLevels),
  unit: size(string(), 0, 128),
  message: string(),
  boot_id: uuid,
  pid: optional(boundedInteger('Process', 0)),
  fields: optional(boundedRecord(size(string(), 1, 64), boundedOneOf([string(), number(), boolean()]), 1000)),
})
export type LogLine = Infer<typeof LogLine>
export const maxLogLines = 1000
export const maxLogLineBytes = 8192
export const LogsAnswer = type({
  accepted: integer(),
  dropped: integer(),
  /** Dropped lines by reason: `too_long`, `malformed`, `number_too_large`, `rate_limit`, `daily_limit`, `pending_acceptance`. */
  reasons: optional(record(string(), integer())),
  next_allowed_ms: integer(),
})
export type LogsAnswer = Infer<typeof LogsAnswer>

export const CommandBody = object({
  state: enums(['delivered', 'done', 'failed']),
  output: optional(text('Output', { min: 0, max: 65_536, lines: true })),
})
export type CommandBody = Infer<typeof CommandBody>
export const TokenAnswer = type({ device_token: string() })
