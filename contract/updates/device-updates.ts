import { array, coerce, enums, type Infer, integer, nullable, number, object, optional, size, string, type } from 'superstruct'
import { updateEventTypes } from '../device/update-events'
import { Installed } from '../fleet/devices'
import { endpoint, requires, onObject } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { boundedList } from '../core/bounded'
import { text } from '../core/rules'
import { Id, Timestamp } from '../core/shapes'

const read = requires(onObject('device', 'deviceId'), 'device:view')

export const outcomes = ['offer', 'wait', 'none'] as const
export const checkResults = ['pass', 'fail', 'not_reached', 'not_applicable'] as const
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
  summary: 'Explain why a device is or is not updating: the 18 checks in order.',
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
  summary: 'List the update events of a device, newest first; of some types, or that arrived in a period.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({
    ...listQuery,
    rollout_id: optional(string()),
    /** May be repeated. */
    type: optional(
      size(
        coerce(boundedList(text('Type', { max: 64 }), updateEventTypes.length), string(), (value) => [value]),
        1,
        updateEventTypes.length,
      ),
    ),
    /** By the time of arrival. */
    from: optional(Timestamp),
    to: optional(Timestamp),
  }),
  answer: listOf('update_events', UpdateEvent),
})

export const deviceInstallations = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/releases',
  summary: 'List the releases installed on a device, with their times.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: type({ releases: array(Installed) }),
})
