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
  string,
  type,
  union,
  unknown,
} from 'superstruct'
import { endpoint, holds, inProject, of } from './endpoint'
import { listOf, listQuery } from './lists'
import { pattern, text, whole, wholeParam } from './rules'
import { entity, Id, Timestamp } from './shapes'
import { TagColour, TagName } from './tags'

export const lifecycles = ['pending', 'active', 'disabled', 'decommissioned'] as const
export const connectivities = ['online', 'late', 'offline', 'never_seen'] as const
export const healths = ['healthy', 'warning', 'critical', 'unknown'] as const
/** How the list groups the states of an update: what a person asks first. */
export const updateGroups = ['none', 'waiting', 'in_progress', 'succeeded', 'failed'] as const

export const Lifecycle = enums(lifecycles)
export const Connectivity = enums(connectivities)
export type Connectivity = Infer<typeof Connectivity>
export const Health = type({
  status: enums(healths),
  reasons: array(type({ metric: string(), value: number(), threshold: number(), since: Timestamp })),
})
export type Health = Infer<typeof Health>

export const Installed = type({
  release_id: nullable(Id),
  name: nullable(string()),
  version: integer(),
  display_version: nullable(string()),
  installed_at: Timestamp,
  slot: nullable(enums(['a', 'b'])),
  confirmed: boolean(),
})

/** The present or last update of a device. `state` is one of contract/device/update-events; a newer server may know more. */
export const DeviceUpdate = type({
  rollout_id: Id,
  release_id: Id,
  version: integer(),
  display_version: nullable(string()),
  state: string(),
  state_since: Timestamp,
  progress_percent: nullable(number()),
  bytes_done: nullable(integer()),
  bytes_total: nullable(integer()),
  attempt: integer(),
  error_code: nullable(string()),
  error_text: nullable(string()),
})
export type DeviceUpdate = Infer<typeof DeviceUpdate>

const Attribute = union([string(), number(), boolean()])

export const Device = type({
  ...entity,
  project_id: Id,
  name: string(),
  serial_number: nullable(string()),
  hardware_model: string(),
  lifecycle: Lifecycle,
  enrollment: string(),
  connectivity: Connectivity,
  first_seen_at: nullable(Timestamp),
  last_seen_at: nullable(Timestamp),
  next_check_in_at: nullable(Timestamp),
  enrolled_at: nullable(Timestamp),
  polling_interval_s: nullable(integer()),
  installed: nullable(Installed),
  update: nullable(DeviceUpdate),
  updates_enabled: boolean(),
  updates_paused_until: nullable(Timestamp),
  quarantine: nullable(type({ until: Timestamp, reason: string() })),
  tags: array(type({ id: Id, name: string(), colour: TagColour })),
  attributes: record(string(), Attribute),
  metadata: record(string(), unknown()),
  trusted_keys: array(type({ fingerprint: string(), algorithm: string() })),
  secure_boot: type({ state: string(), rollback_version: nullable(integer()) }),
  health: Health,
  timezone: nullable(string()),
  client: nullable(type({ name: string(), version: string(), config_hash: nullable(string()) })),
  notes: string(),
})
export type Device = Infer<typeof Device>

const Facet = array(type({ value: string(), count: integer(), colour: optional(string()) }))
export const DeviceFacets = type({ connectivity: Facet, update: Facet, health: Facet, version: Facet, tag: Facet })
export type DeviceFacets = Infer<typeof DeviceFacets>

const one = (label: string) => optional(text(label, { max: 128 }))
export const DeviceFilter = {
  connectivity: optional(Connectivity),
  lifecycle: optional(Lifecycle),
  health: optional(enums(healths)),
  update: optional(enums(updateGroups)),
  hardware_model: one('Model'),
  version: one('Version'),
  tag: one('Tag'),
}

const page = listOf('devices', Device)
export const DevicePage = type({ ...page.schema, facets: DeviceFacets })
export type DevicePage = Infer<typeof DevicePage>

const read = holds(of('device', 'deviceId'), 'device:view')
const write = holds(of('device', 'deviceId'), 'project:manage_devices')

export const devices = endpoint({
  method: 'GET',
  path: '/projects/:projectId/devices',
  summary: 'Devices by filter and sort, with counts of the whole filter by field.',
  needs: holds(inProject, 'device:view'),
  audit: 'none',
  rate: 'read',
  query: object({ ...listQuery, ...DeviceFilter }),
  answer: DevicePage,
})

const deep = (value: unknown, depth = 0): boolean =>
  depth <= 8 && (typeof value !== 'object' || value === null || Object.values(value).every((inner) => deep(inner, depth + 1)))
export const Metadata = refine(
  refine(record(string(), unknown()), 'too_deep', (value) => deep(value) || 'Metadata must be at most 8 levels deep'),
  'too_long',
  (value) => JSON.stringify(value).length <= 16_384 || 'Metadata must be 16 KiB or less',
)
const deviceTags = refine(array(TagName), 'too_many', (value) => value.length <= 20 || 'A device can have at most 20 tags')
export const SerialNumber = pattern('pattern', /^[\x21-\x7e]{1,128}$/, 'Use 1 to 128 visible characters without spaces')

export const NewDevice = object({
  name: text('Name', { max: 100 }),
  serial_number: optional(SerialNumber),
  hardware_model: text('Hardware model', { max: 63 }),
  tags: optional(deviceTags),
  metadata: optional(Metadata),
})
export type NewDevice = Infer<typeof NewDevice>

export const createDevice = endpoint({
  method: 'POST',
  path: '/projects/:projectId/devices',
  summary: 'Pre-enrolls a device; its token is in this answer only.',
  needs: holds(inProject, 'project:manage_devices'),
  audit: 'device.pre_enroll',
  rate: 'write',
  body: NewDevice,
  answer: type({ ...Device.schema, device_token: string() }),
  status: 201,
})
export const device = endpoint({
  method: 'GET',
  path: '/devices/:deviceId',
  summary: 'One device.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: Device,
})
/** What people decide about a device. */
export const DeviceChange = object({
  name: optional(text('Name', { max: 100 })),
  tags: optional(deviceTags),
  metadata: optional(Metadata),
  notes: optional(text('Notes', { min: 0, max: 4000, lines: true })),
  updates_enabled: optional(boolean()),
  updates_paused_until: optional(nullable(Timestamp)),
  polling_interval_s: optional(nullable(whole('Polling interval', 30, 604_800))),
  timezone: optional(nullable(text('Time zone', { max: 64 }))),
})
export type DeviceChange = Infer<typeof DeviceChange>

export const updateDevice = endpoint({
  method: 'PATCH',
  path: '/devices/:deviceId',
  summary: 'Changes what people decide about a device.',
  needs: write,
  audit: 'device.update',
  rate: 'write',
  conditional: true,
  body: DeviceChange,
  answer: Device,
})
export const deleteDevice = endpoint({
  method: 'DELETE',
  path: '/devices/:deviceId',
  summary: 'Takes a device out; it can be restored for 30 days.',
  needs: write,
  audit: 'device.delete',
  rate: 'write',
  conditional: true,
  answer: 'none',
})

export const restoreDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/restore',
  summary: 'Brings back a device that was taken out.',
  needs: write,
  audit: 'device.restore',
  rate: 'write',
  answer: Device,
})
export const acceptDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/accept',
  summary: 'Lets a pending device in.',
  needs: write,
  audit: 'device.accept',
  rate: 'write',
  answer: Device,
})
export const rejectDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/reject',
  summary: 'Refuses a pending device.',
  needs: write,
  audit: 'device.reject',
  rate: 'write',
  answer: Device,
})
export const disableDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/disable',
  summary: 'It may connect and gets nothing.',
  needs: write,
  audit: 'device.disable',
  rate: 'write',
  answer: Device,
})
export const enableDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/enable',
  summary: 'Undoes disable.',
  needs: write,
  audit: 'device.enable',
  rate: 'write',
  answer: Device,
})
export const decommissionDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/decommission',
  summary: 'Its token dies; the client stops.',
  needs: write,
  audit: 'device.decommission',
  rate: 'write',
  answer: Device,
})
export const clearQuarantine = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/clear_quarantine',
  summary: 'Lets a quarantined device try again.',
  needs: write,
  audit: 'device.clear_quarantine',
  rate: 'write',
  answer: Device,
})

export const commands = ['check_now', 'reboot', 'send_logs', 'collect_diagnostics'] as const
export const Command = type({
  id: Id,
  command: string(),
  state: string(),
  created_at: Timestamp,
  delivered_at: nullable(Timestamp),
  done_at: nullable(Timestamp),
  output: nullable(string()),
})
export const sendCommand = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/commands',
  summary: 'Queued for the next poll.',
  needs: holds(of('device', 'deviceId'), 'device:remote_command'),
  audit: 'device.command',
  rate: 'write',
  body: object({ command: enums(commands), args: optional(record(string(), string())) }),
  answer: Command,
  status: 202,
})

export const outcomes = ['offer', 'wait', 'none'] as const
export const checkResults = ['pass', 'fail', 'not_reached'] as const
export const UpdateDecision = type({
  decided_at: Timestamp,
  outcome: enums(outcomes),
  release_id: nullable(Id),
  rollout_id: nullable(Id),
  next_check_at: nullable(Timestamp),
  checks: array(
    type({
      id: string(),
      result: enums(checkResults),
      observed: nullable(string()),
      required: nullable(string()),
      until: nullable(Timestamp),
      text: string(),
    }),
  ),
})
export type UpdateDecision = Infer<typeof UpdateDecision>
export const updateDecision = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/update_decision',
  summary: 'Why this device is or is not updating: the 18 checks in their order.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({ release_id: optional(string()) }),
  answer: UpdateDecision,
})

export const UpdateEvent = type({
  id: Id,
  rollout_id: nullable(Id),
  release_id: nullable(Id),
  version: nullable(integer()),
  display_version: nullable(string()),
  release_name: nullable(string()),
  rollout_name: nullable(string()),
  attempt: integer(),
  type: string(),
  from_state: nullable(string()),
  to_state: nullable(string()),
  reason_code: nullable(string()),
  message: nullable(string()),
  progress_percent: nullable(number()),
  bytes_done: nullable(integer()),
  duration_ms: nullable(integer()),
  slot: nullable(string()),
  boot_id: nullable(string()),
  ts_ms: integer(),
  received_at: Timestamp,
  sequence: nullable(integer()),
  source: enums(['device', 'server']),
})
export type UpdateEvent = Infer<typeof UpdateEvent>
export const deviceUpdateEvents = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/update_events',
  summary: 'What happened to its updates, newest first.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({ ...listQuery, rollout_id: optional(string()), type: optional(string()) }),
  answer: listOf('update_events', UpdateEvent),
})

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
  summary: 'Log lines by sequence; `after_sequence` follows the tail.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({
    limit: listQuery.limit,
    q: listQuery.q,
    level_max: optional(text('Level', { max: 8 })),
    unit: optional(text('Unit', { max: 128 })),
    boot_id: optional(text('Boot', { max: 64 })),
    after_sequence: optional(wholeParam('Sequence', 0)),
    before_sequence: optional(wholeParam('Sequence', 0)),
  }),
  answer: type({
    lines: array(LogLine),
    next_cursor: nullable(string()),
    dropped: integer(),
    units: array(string()),
    boots: array(type({ boot_id: string(), first_ts_ms: integer() })),
  }),
})

export const deviceInstallations = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/releases',
  summary: 'What was installed when.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: type({ releases: array(Installed) }),
})
