import { array, enums, type Infer, integer, nullable, number, string, type } from 'superstruct'
import { Connectivity, healths } from '../fleet/devices'
import { Id, Timestamp } from '../core/shapes'

const deviceTypes = ['device.enrolled', 'device.pending', 'device.decommissioned'] as const
const connectivityTypes = ['device.online', 'device.late', 'device.offline'] as const
const healthTypes = ['device.health_changed'] as const
const updateTypes = ['update.succeeded', 'update.failed', 'update.rolled_back'] as const
const releaseTypes = ['release.ready', 'release.released', 'release.revoked'] as const
const rolloutTypes = [
  'rollout.approval_requested',
  'rollout.approved',
  'rollout.denied',
  'rollout.started',
  'rollout.wave_passed',
  'rollout.waiting_for_user',
  'rollout.halted',
  'rollout.resumed',
  'rollout.completed',
  'rollout.cancelled',
  'rollout.rolled_back',
  'rollout.expired',
] as const
const keyTypes = ['key.expiring', 'key.revoked'] as const

/** What can happen in a project. Webhooks, mails and the console follow these. */
export const eventTypes = [
  ...deviceTypes,
  ...connectivityTypes,
  ...healthTypes,
  ...updateTypes,
  ...releaseTypes,
  ...rolloutTypes,
  ...keyTypes,
  'access_token.expiring',
  'project.settings_updated',
] as const
export type EventType = (typeof eventTypes)[number]

/** Beyond the limit of a minute, events of these types are summed into one of the type with this ending. */
export const summedTypes = [...connectivityTypes, ...healthTypes] as const
export type SummedType = (typeof summedTypes)[number]
const sumEnding = '.many'
export const sumTypeOf = (type: SummedType): `${SummedType}.many` => `${type}${sumEnding}`

/** Single events of a type in a project and minute; the rest of the minute is summed. */
export const eventsPerMinute = 100
/** A summed event names so many of its devices. */
export const sampleSize = 10
export const eventDays = 30
/** Before keys and access tokens expire, so many days each. */
export const expiryNoticeDays = [30, 7, 1] as const

const DeviceRef = type({ id: Id, name: string(), serial_number: nullable(string()) })
export type DeviceRef = Infer<typeof DeviceRef>

/** By name: who caused it; null for a device or the time. */
const by = nullable(string())

const DeviceEvent = type({ device: DeviceRef, hardware_model: string(), by })
const ConnectivityEvent = type({ device: DeviceRef, before: Connectivity, last_seen_at: nullable(Timestamp) })
const HealthStatus = enums(healths)
const HealthEvent = type({ device: DeviceRef, before: HealthStatus, health: HealthStatus })
const UpdateEvent = type({
  device: DeviceRef,
  rollout_id: Id,
  release_id: Id,
  version: number(),
  attempt: integer(),
  error_code: nullable(string()),
  error_text: nullable(string()),
})
const ReleaseEvent = type({
  release: type({ id: Id, name: string(), version: number(), display_version: nullable(string()) }),
  reason: nullable(string()),
})
const RolloutEvent = type({
  rollout: type({ id: Id, name: string() }),
  release_id: Id,
  wave: nullable(integer()),
  /** What happened, in words, as in the timeline of the rollout. */
  text: string(),
  by,
})
const KeyEvent = type({
  key: type({ id: Id, name: string(), fingerprint: string() }),
  expires_at: nullable(Timestamp),
  reason: nullable(string()),
})
const AccessTokenEvent = type({ access_token: type({ id: Id, name: string() }), expires_at: Timestamp })
const SettingsEvent = type({ project: type({ id: Id, name: string() }), by })
const SumEvent = type({ count: integer(), sample: array(DeviceRef) })

type Is<T extends string, S> = { type: T; data: S }

/** An event with the facts of its type; they contain no personal data but names. */
export type EventFacts =
  | Is<(typeof deviceTypes)[number], Infer<typeof DeviceEvent>>
  | Is<(typeof connectivityTypes)[number], Infer<typeof ConnectivityEvent>>
  | Is<(typeof healthTypes)[number], Infer<typeof HealthEvent>>
  | Is<(typeof updateTypes)[number], Infer<typeof UpdateEvent>>
  | Is<(typeof releaseTypes)[number], Infer<typeof ReleaseEvent>>
  | Is<(typeof rolloutTypes)[number], Infer<typeof RolloutEvent>>
  | Is<(typeof keyTypes)[number], Infer<typeof KeyEvent>>
  | Is<'access_token.expiring', Infer<typeof AccessTokenEvent>>
  | Is<'project.settings_updated', Infer<typeof SettingsEvent>>
  | Is<`${SummedType}.many`, Infer<typeof SumEvent>>
