import { array, boolean, enums, type Infer, integer, nullable, number, object, optional, refine, string, type } from 'superstruct'
import { endpoint, requires, inProject, onObject } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { Backoff, Gate, plan, Target, MaintenanceWindow } from './rollout-plans'
import { text, boundedInteger } from '../core/rules'
import { entity, Id, Author, Sha256, Timestamp } from '../core/shapes'

export const rolloutStates = [
  'draft',
  'pending_approval',
  'denied',
  'scheduled',
  'running',
  'waiting_for_user',
  'paused',
  'halted',
  'rolling_back',
  'rolled_back',
  'cancelling',
  'cancelled',
  'expired',
  'completed',
] as const

export const RolloutCounts = type({
  targeted: integer(),
  succeeded: integer(),
  failed: integer(),
  running: integer(),
  /** Of the running ones: the client says that it has succeeded, and nothing has confirmed it yet. */
  claimed: integer(),
  waiting: integer(),
})
export type RolloutCounts = Infer<typeof RolloutCounts>

export const WaveStatus = type({
  n: integer(),
  /** `retried`: it failed, and its failed devices wait until a person resumes the rollout. */
  state: enums(['waiting', 'filling', 'soaking', 'passed', 'failed', 'retried', 'waiting_for_user', 'stopped']),
  percent: number(),
  /** The tag that its devices have; null for a share of the devices without such a tag. */
  tag: nullable(string()),
  counts: RolloutCounts,
  /** Of those that succeeded: a rollback has sent them back since. */
  returned: integer(),
  /** The shares of `counts` that have ended so, also after the gate has decided; null before any has ended. */
  success_percent: nullable(number()),
  failure_percent: nullable(number()),
  gate: type(Gate.schema),
  /** Earlier failures were set aside when a person resumed: the gate counts what ends after this time. */
  counts_from: nullable(Timestamp),
  started_at: nullable(Timestamp),
  soak_until: nullable(Timestamp),
})
export type WaveStatus = Infer<typeof WaveStatus>

/** Changes of many devices of a rollout, applied in batches. */
export const bulkChangeKinds = ['show_waiting', 'cancel_waiting', 'ask_abort', 'retry_failed'] as const
export type BulkChangeKind = (typeof bulkChangeKinds)[number]

export const Rollout = type({
  ...entity,
  project_id: Id,
  release_id: Id,
  release_name: string(),
  version: integer(),
  display_version: nullable(string()),
  name: string(),
  /** Null: created by the server, to roll another rollout back. */
  created_by: nullable(Author),
  /** The rollout whose devices this one sends back; null for others. */
  rolls_back_id: nullable(Id),
  /** The rollouts that send its devices back: to what, and how many that had succeeded are there by now. */
  ways_back: array(
    type({ rollout_id: Id, name: string(), version: integer(), display_version: nullable(string()), returned: integer() }),
  ),
  target: type(Target.schema),
  membership: enums(['frozen', 'dynamic']),
  waves: array(WaveStatus),
  max_concurrent: integer(),
  start_rate_per_min: nullable(integer()),
  retries: integer(),
  backoff: type(Backoff.schema),
  start_at: nullable(Timestamp),
  end_at: nullable(Timestamp),
  window: nullable(type(MaintenanceWindow.schema)),
  on_failure: enums(['halt', 'halt_and_roll_back']),
  allow_downgrade: nullable(type({ reason: string() })),
  priority: integer(),
  requires_approval: boolean(),
  approval: nullable(
    type({
      asked_by: nullable(string()),
      asked_by_id: nullable(string()),
      decided_by: nullable(string()),
      decision: nullable(string()),
      comment: nullable(string()),
    }),
  ),
  state: enums(rolloutStates),
  state_reason: nullable(string()),
  with_failures: boolean(),
  current_wave: integer(),
  counts: RolloutCounts,
  /** A running change of its devices, and how many it has not reached yet. */
  bulk_change: nullable(type({ kind: enums(bulkChangeKinds), left: integer() })),
  preview_hash: Sha256,
  started_at: nullable(Timestamp),
  ended_at: nullable(Timestamp),
})
export type Rollout = Infer<typeof Rollout>

const release = onObject('release', 'releaseId')
const rolloutOf = onObject('rollout', 'rolloutId')

const newRolloutFields = object({
  ...plan,
  name: optional(text('Name', { max: 256 })),
  max_concurrent: optional(boundedInteger('Max concurrent', 1, 10_000)),
  start_rate_per_min: optional(nullable(boundedInteger('Start rate', 1, 1000))),
  retries: optional(boundedInteger('Retries', 0, 10)),
  backoff: optional(Backoff),
  start_at: optional(nullable(Timestamp)),
  end_at: optional(nullable(Timestamp)),
  window: optional(nullable(MaintenanceWindow)),
  on_failure: optional(enums(['halt', 'halt_and_roll_back'])),
  /** `version`: the version number of the release, typed again by the person who allows the downgrade. */
  allow_downgrade: optional(
    nullable(object({ reason: text('Reason', { min: 10, max: 500 }), version: boundedInteger('Version', 0) })),
  ),
  priority: optional(boundedInteger('Priority', 0, 100)),
  preview_hash: Sha256,
  override_reason: optional(text('Reason', { min: 10, max: 500 })),
})
export const NewRollout = refine(newRolloutFields, 'order', ({ start_at, end_at }, { path }) =>
  start_at == null || end_at == null || new Date(end_at) > new Date(start_at)
    ? true
    : { path: [...path, 'end_at'], message: 'The end must be after the start' },
)
export const createRollout = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/rollouts',
  summary: 'Create a rollout as previewed. 409 preview_stale, key_coverage.',
  needs: requires(release, 'project:manage_releases'),
  audit: 'rollout.create',
  rate: 'write',
  needsSpace: true,
  body: NewRollout,
  answer: Rollout,
  status: 201,
})
export const releaseRollouts = endpoint({
  method: 'GET',
  path: '/releases/:releaseId/rollouts',
  summary: 'List the rollouts of a release, newest first.',
  needs: requires(release, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object(listQuery),
  answer: listOf('rollouts', Rollout),
})
/** `waiting`: the caller has to act before it continues. `open`: it has not ended; these contain the waiting ones. */
export const rolloutGroups = ['waiting', 'open', 'ended'] as const
export type RolloutGroup = (typeof rolloutGroups)[number]
export const projectRollouts = endpoint({
  method: 'GET',
  path: '/projects/:projectId/rollouts',
  summary:
    'List the rollouts of a project, newest first, with the size of each group. Sort by `-urgency` for those that wait for the caller first.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object({ ...listQuery, state: optional(enums(rolloutStates)), group: optional(enums(rolloutGroups)) }),
  answer: type({
    ...listOf('rollouts', Rollout).schema,
    groups: type({ waiting: integer(), open: integer(), ended: integer() }),
  }),
})
/** So many waiting devices are asked which is next: an answer must not take longer for a larger fleet. */
export const nextWaitSample = 50
/** The device whose wait ends first, with the reason that the list of devices gives; `until` is null if that is not known. */
const NextWait = type({ device_id: Id, device_name: string(), reason: string(), until: nullable(Timestamp) })
export type NextWait = Infer<typeof NextWait>
export const rollout = endpoint({
  method: 'GET',
  path: '/rollouts/:rolloutId',
  summary: 'Get a rollout with its waves, and which of its waiting devices is next.',
  needs: requires(rolloutOf, 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: type({
    ...Rollout.schema,
    /** Of the devices in open waves; null if none waits. */
    next_wait: nullable(NextWait),
  }),
})

export const RolloutDevice = type({
  device_id: Id,
  device_name: string(),
  wave: integer(),
  from_version: nullable(integer()),
  from_display_version: nullable(string()),
  state: string(),
  /** Why it waits, failed or was left out. */
  reason: nullable(string()),
  /** It succeeded, and another rollout has sent it back since: to what, and when it was there. */
  returned: nullable(type({ rollout_id: Id, version: integer(), display_version: nullable(string()), at: Timestamp })),
  /** When a wait ends at the latest without anyone acting: the next check-in, or the opening of a window. */
  waits_until: nullable(Timestamp),
  progress_percent: nullable(number()),
  attempt: integer(),
  since: Timestamp,
})
export type RolloutDevice = Infer<typeof RolloutDevice>
export const rolloutDevices = endpoint({
  method: 'GET',
  path: '/rollouts/:rolloutId/devices',
  summary: 'List the devices of a rollout.',
  needs: requires(rolloutOf, 'device:view'),
  audit: 'none',
  rate: 'read',
  query: object({
    ...listQuery,
    /** `left_out`: no gate counts them: held, skipped or cancelled. */
    group: optional(enums(['succeeded', 'failed', 'running', 'waiting', 'left_out'])),
    wave: optional(string()),
  }),
  answer: listOf('devices', RolloutDevice),
})

export const rolloutTimeline = endpoint({
  method: 'GET',
  path: '/rollouts/:rolloutId/timeline',
  summary: 'List the state changes of a rollout and the measurements of its gates.',
  needs: requires(rolloutOf, 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: type({
    entries: array(type({ at: Timestamp, kind: string(), text: string(), wave: nullable(integer()), by: nullable(string()) })),
  }),
})
