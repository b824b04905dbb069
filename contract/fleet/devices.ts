import {
  array,
  boolean,
  coerce,
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
  Struct,
  type,
  unknown,
} from 'superstruct'
import { protocols, verifiers } from '../ddi/confirm'
import { type AnyStruct, endpoint, requires, inProject, onObject } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { boundedList, boundedRecord } from '../core/bounded'
import { boundedOneOf } from '../core/bounded-one-of'
import { booleanParam, boundedInteger, integerParam, pattern, text } from '../core/rules'
import { entity, Id, Sha256, Timestamp } from '../core/shapes'
import { TagColour, TagName } from './tags'

export const lifecycles = ['pending', 'rejected', 'active', 'disabled', 'decommissioned'] as const
/**
 * Devices in these states are out of use: the plan, Monitor, the cards of projects and the lists by state do not count them, and no
 * bulk change of updates reaches them.
 */
export const unusedLifecycles: readonly (typeof lifecycles)[number][] = ['rejected', 'decommissioned']
export const connectivities = ['online', 'late', 'offline', 'never_seen'] as const
export const healths = ['healthy', 'warning', 'critical', 'unknown'] as const
/** Groups of update states in the device list. */
export const updateGroups = ['none', 'waiting', 'in_progress', 'succeeded', 'failed'] as const

/** A deleted device can be restored for so long, in days. */
export const deletedDeviceDays = 30

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

/** The current or last update of a device. `state` is one of contract/device/update-events; a newer server may have more. */
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
  /** The client says that it has succeeded; the device may confirm it until then, by this attribute. */
  claim: nullable(type({ until: Timestamp, attribute: string() })),
})
export type DeviceUpdate = Infer<typeof DeviceUpdate>

/** A device's token was used from two sources at a time: it was copied, or the device has two uplinks. */
export const TokenSharing = type({ by: enums(['boot', 'address']), at: Timestamp, addresses: array(string()) })
export type TokenSharing = Infer<typeof TokenSharing>

const Attribute = boundedOneOf([string(), number(), boolean()])

export const Device = type({
  ...entity,
  project_id: Id,
  name: string(),
  serial_number: nullable(string()),
  hardware_model: string(),
  /** The device API that it uses: ours, or that of hawkBit (DDI). */
  protocol: enums(protocols),
  /** Who verifies what it installs. */
  verifier: enums(verifiers),
  lifecycle: Lifecycle,
  enrollment: string(),
  connectivity: Connectivity,
  first_seen_at: nullable(Timestamp),
  last_seen_at: nullable(Timestamp),
  next_check_in_at: nullable(Timestamp),
  enrolled_at: nullable(Timestamp),
  /** The device's own interval; null follows the project. */
  polling_interval_s: nullable(integer()),
  /** The last value of its device.json. */
  configured_polling_interval_s: nullable(integer()),
  token_sharing: nullable(TokenSharing),
  installed: nullable(Installed),
  /** What is installed was revoked since, and why: the device needs another release. */
  installed_revoked: nullable(type({ reason: string() })),
  update: nullable(DeviceUpdate),
  updates_enabled: boolean(),
  updates_paused_until: nullable(Timestamp),
  quarantine: nullable(type({ until: Timestamp, reason: string() })),
  tags: array(type({ id: Id, name: string(), colour: TagColour })),
  attributes: record(string(), Attribute),
  metadata: record(string(), unknown()),
  trusted_keys: array(type({ fingerprint: string(), algorithm: string() })),
  secure_boot: type({ state: string(), bundle_id: optional(nullable(string())), rollback_version: nullable(integer()) }),
  health: Health,
  timezone: nullable(string()),
  client: nullable(type({ name: string(), version: string(), config_hash: nullable(string()) })),
  notes: string(),
  /** It can be restored for `deletedDeviceDays` from then. */
  deleted_at: nullable(Timestamp),
})
export type Device = Infer<typeof Device>

const Facet = array(type({ value: string(), count: integer(), colour: optional(string()) }))
export const DeviceFacets = type({ connectivity: Facet, update: Facet, health: Facet, version: Facet, tag: Facet })
export type DeviceFacets = Infer<typeof DeviceFacets>

/** Why a device needs attention, worst first; each device has the first that applies. */
export const attentionKinds = ['critical', 'failed', 'revoked', 'offline', 'warning', 'pending'] as const
export type AttentionKind = (typeof attentionKinds)[number]
export const attentionFilters = ['any', ...attentionKinds, 'flapping'] as const

export const tagModes = ['any', 'all', 'none'] as const

const one = (label: string) => optional(text(label, { max: 128 }))
export const DeviceFilter = {
  connectivity: optional(Connectivity),
  lifecycle: optional(Lifecycle),
  health: optional(enums(healths)),
  update: optional(enums(updateGroups)),
  hardware_model: one('Model'),
  version: one('Version'),
  /** Numbers of installed versions, exclusive. */
  version_lt: optional(integerParam('Version', 0)),
  version_gt: optional(integerParam('Version', 0)),
  /** May be repeated. `tag_mode`: whether a device needs any of them (default), all, or none. */
  tag: optional(
    size(
      coerce(boundedList(text('Tag', { max: 128 }), 20), string(), (value) => [value]),
      1,
      20,
    ),
  ),
  tag_mode: optional(enums(tagModes)),
  quarantined: optional(booleanParam),
  /** The devices of the lists of Monitor: `any` of the first one, those for one reason, or those that flap. */
  attention: optional(enums(attentionFilters)),
  /** The installed release. */
  release_id: optional(Id),
  /** The fingerprint of a key in the device's report. */
  trusts_key: optional(Sha256),
  /** Not seen since: also devices that were never seen. */
  last_seen_before: optional(Timestamp),
  /** Devices that this import has created. */
  import_id: optional(Id),
  /** Only deleted devices that can be restored; without it, only those that are not deleted. */
  deleted: optional(enums(['true'])),
}

const attributePrefix = 'attr.'
const AttributeValue = text('Attribute', { max: 256 })

/** The name of the attribute that a parameter `attr.<name>` filters by; undefined for another parameter. */
export const attributeOf = (parameter: string): string | undefined =>
  parameter.startsWith(attributePrefix) && parameter.length > attributePrefix.length
    ? parameter.slice(attributePrefix.length)
    : undefined

export type AttributeFilters = { [name: `${typeof attributePrefix}${string}`]: string }

type Fields = Record<string, AnyStruct>
type Filtered<F extends Fields> = Struct<Infer<ReturnType<typeof object<F>>> & AttributeFilters, F>

/** An object of these fields and of any `attr.<name>`: the value of an attribute, as text. */
export const withAttributes = <F extends Fields>(fields: F): Filtered<F> => {
  const known = object(fields)
  const entries = function* (...given: Parameters<typeof known.entries>): ReturnType<typeof known.entries> {
    for (const [name, value, struct] of known.entries(...given)) {
      const isAttribute = struct.type === 'never' && attributeOf(String(name)) !== undefined
      yield [name, value, isAttribute ? AttributeValue : struct]
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of a struct does not follow from its entries
  return new Struct({ ...known, entries } as unknown as Filtered<F>)
}

const page = listOf('devices', Device)
export const DevicePage = type({ ...page.schema, facets: DeviceFacets })
export type DevicePage = Infer<typeof DevicePage>

const read = requires(onObject('device', 'deviceId'), 'device:view')
const write = requires(onObject('device', 'deviceId'), 'project:manage_devices')

export const devices = endpoint({
  method: 'GET',
  path: '/projects/:projectId/devices',
  summary:
    'List the devices of a project by filter (`attr.<name>` for the value of an attribute) and sort order, with counts of the whole filter by field.',
  needs: requires(inProject, 'device:view'),
  audit: 'none',
  rate: 'read',
  query: withAttributes({ ...listQuery, ...DeviceFilter }),
  answer: DevicePage,
})

const deep = (value: unknown, depth = 0): boolean =>
  depth <= 8 && (typeof value !== 'object' || value === null || Object.values(value).every((inner) => deep(inner, depth + 1)))
export const Metadata = refine(
  refine(
    boundedRecord(string(), unknown(), 1000),
    'too_deep',
    (value) => deep(value) || 'Metadata must be at most 8 levels deep',
  ),
  'too_long',
  (value) => JSON.stringify(value).length <= 16_384 || 'Metadata must be 16 KiB or less',
)
export const maxDeviceTags = 20
export const DeviceTags = boundedList(TagName, maxDeviceTags, `A device can have at most ${maxDeviceTags} tags`)
export const SerialNumber = pattern(
  'pattern',
  // A dot or two are no name in an address: clients shorten it.
  /^(?!\.{1,2}$)[\x21-\x7e]{1,128}$/,
  'Use 1 to 128 visible characters without spaces, not only a dot or two',
)

/** `short`: 32 characters, for DDI clients with little room. */
export const tokenForms = ['long', 'short'] as const
export type TokenForm = (typeof tokenForms)[number]

export const NewDevice = object({
  name: text('Name', { max: 100 }),
  serial_number: optional(SerialNumber),
  hardware_model: text('Hardware model', { max: 63 }),
  /** A device that uses DDI is known by its serial number: the id of its controller. */
  protocol: optional(enums(protocols)),
  token_form: optional(enums(tokenForms)),
  tags: optional(DeviceTags),
  metadata: optional(Metadata),
})
export type NewDevice = Infer<typeof NewDevice>

export const createDevice = endpoint({
  method: 'POST',
  path: '/projects/:projectId/devices',
  summary: 'Pre-enroll a device. Only this answer contains its token.',
  needs: requires(inProject, 'project:manage_devices'),
  audit: 'device.pre_enroll',
  rate: 'write',
  body: NewDevice,
  answer: type({ ...Device.schema, device_token: string() }),
  status: 201,
})
export const device = endpoint({
  method: 'GET',
  path: '/devices/:deviceId',
  summary: 'Get a device.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: Device,
})
/** The fields of a device that people set. */
export const DeviceChange = object({
  name: optional(text('Name', { max: 100 })),
  protocol: optional(enums(protocols)),
  tags: optional(DeviceTags),
  metadata: optional(Metadata),
  notes: optional(text('Notes', { min: 0, max: 4000, lines: true })),
  updates_enabled: optional(boolean()),
  updates_paused_until: optional(nullable(Timestamp)),
  polling_interval_s: optional(nullable(boundedInteger('Polling interval', 30, 604_800))),
  timezone: optional(nullable(text('Time zone', { max: 64 }))),
})
export type DeviceChange = Infer<typeof DeviceChange>

export const updateDevice = endpoint({
  method: 'PATCH',
  path: '/devices/:deviceId',
  summary: 'Change the fields of a device that people set.',
  needs: write,
  audit: 'device.update',
  rate: 'write',
  conditional: true,
  body: DeviceChange,
  answer: Device,
})
