import { array, boolean, enums, type Infer, integer, nullable, number, object, optional, refine, string, type } from 'superstruct'
import { endpoint, holds, inProject, of } from './endpoint'
import { listOf, listQuery } from './lists'
import { pattern, text, whole } from './rules'
import { entity, Id, Sha256, Timestamp } from './shapes'
import { TagName } from './tags'

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

export const Gate = object({
  min_success_percent: whole('Minimum success', 0, 100),
  max_failure_percent: whole('Maximum failure', 0, 100),
  min_sample: whole('Minimum sample', 1),
  soak_s: whole('Soak time', 0, 604_800),
  then: enums(['continue', 'wait_for_user']),
})
export type Gate = Infer<typeof Gate>
export const Wave = object({ kind: enums(['percent', 'count']), value: whole('Value', 1), gate: Gate })
export type Wave = Infer<typeof Wave>

export const defaultGate: Gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 0, then: 'continue' }
/** 1 %, 10 %, 50 %, 100 %. */
export const defaultWaves: Wave[] = [1, 10, 50, 100].map((value) => ({ kind: 'percent', value, gate: defaultGate }))

// Shares rise among themselves: a count of devices says nothing about a share.
const rising = (waves: Wave[]) => {
  const shares = waves.filter(({ kind }) => kind === 'percent')
  return shares.every(({ value }, n) => n === 0 || value > (shares[n - 1]?.value ?? 0))
}
export const Waves = refine(
  refine(array(Wave), 'count', (value) => (value.length >= 1 && value.length <= 20) || 'Use 1 to 20 waves'),
  'rising',
  (value) =>
    ((value.at(-1)?.kind !== 'percent' || value.at(-1)?.value === 100) && rising(value)) || 'Waves must rise and end at 100 %',
)

const tagNames = refine(array(TagName), 'too_many', (value) => value.length <= 50 || 'Use at most 50 tags')
export const Target = object({
  tags_all: optional(tagNames),
  tags_any: optional(tagNames),
  tags_none: optional(tagNames),
  device_ids: optional(refine(array(Id), 'too_many', (value) => value.length <= 1000 || 'Name at most 1,000 devices')),
  everything: optional(boolean()),
})
export type Target = Infer<typeof Target>

export const Window = object({
  days: array(enums(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])),
  from: pattern('time', /^([01]\d|2[0-3]):[0-5]\d$/, 'Enter a time such as 22:00'),
  to: pattern('time', /^([01]\d|2[0-3]):[0-5]\d$/, 'Enter a time such as 04:00'),
  zone: text('Zone', { max: 64 }),
})
export type Window = Infer<typeof Window>

export const RolloutCounts = type({
  targeted: integer(),
  succeeded: integer(),
  failed: integer(),
  running: integer(),
  waiting: integer(),
})
export type RolloutCounts = Infer<typeof RolloutCounts>

export const WaveStatus = type({
  n: integer(),
  state: enums(['waiting', 'filling', 'soaking', 'passed', 'failed', 'waiting_for_user']),
  percent: number(),
  counts: RolloutCounts,
  success_percent: nullable(number()),
  failure_percent: nullable(number()),
  gate: type(Gate.schema),
  started_at: nullable(Timestamp),
  soak_until: nullable(Timestamp),
})
export type WaveStatus = Infer<typeof WaveStatus>

export const Rollout = type({
  ...entity,
  project_id: Id,
  release_id: Id,
  release_name: string(),
  version: integer(),
  display_version: nullable(string()),
  name: string(),
  target: type(Target.schema),
  membership: enums(['frozen', 'dynamic']),
  waves: array(WaveStatus),
  max_concurrent: integer(),
  start_rate_per_min: nullable(integer()),
  retries: integer(),
  start_at: nullable(Timestamp),
  end_at: nullable(Timestamp),
  window: nullable(type(Window.schema)),
  on_failure: enums(['halt', 'halt_and_roll_back']),
  allow_downgrade: nullable(type({ reason: string() })),
  priority: integer(),
  requires_approval: boolean(),
  approval: nullable(
    type({
      asked_by: nullable(string()),
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
  preview_hash: Sha256,
  started_at: nullable(Timestamp),
  ended_at: nullable(Timestamp),
})
export type Rollout = Infer<typeof Rollout>

const release = of('release', 'releaseId')
const rolloutOf = of('rollout', 'rolloutId')
const write = holds(rolloutOf, 'project:manage_releases')
const reason = object({ reason: optional(text('Reason', { min: 0, max: 500 })) })

const plan = { target: Target, waves: optional(Waves), membership: optional(enums(['frozen', 'dynamic'])) }
/** A preview says only whether the rollout may go back; the rollout itself says why. */
export const RolloutPlan = object({ ...plan, allow_downgrade: optional(boolean()) })
export const RolloutPreview = type({
  total: integer(),
  waves: array(type({ n: integer(), count: integer(), sample: array(type({ id: Id, name: string() })) })),
  excluded: array(type({ reason: string(), count: integer(), sample: array(type({ id: Id, name: string() })) })),
  key_coverage: type({ trusting: integer(), total: integer() }),
  size_bytes_total: integer(),
  preview_hash: Sha256,
})
export type RolloutPreview = Infer<typeof RolloutPreview>
export const previewRollout = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/rollouts/preview',
  summary: 'Who would get it, in which wave, and who not and why.',
  needs: holds(release, 'project:view'),
  audit: 'none',
  rate: 'read',
  body: RolloutPlan,
  answer: RolloutPreview,
})
export const NewRollout = object({
  ...plan,
  name: optional(text('Name', { max: 256 })),
  max_concurrent: optional(whole('Max concurrent', 1, 10_000)),
  start_rate_per_min: optional(nullable(whole('Start rate', 1, 1000))),
  retries: optional(whole('Retries', 0, 10)),
  start_at: optional(nullable(Timestamp)),
  end_at: optional(nullable(Timestamp)),
  window: optional(nullable(Window)),
  on_failure: optional(enums(['halt', 'halt_and_roll_back'])),
  allow_downgrade: optional(nullable(object({ reason: text('Reason', { min: 10, max: 500 }) }))),
  priority: optional(whole('Priority', 0, 100)),
  preview_hash: Sha256,
  override_reason: optional(text('Reason', { min: 10, max: 500 })),
})
export const createRollout = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/rollouts',
  summary: 'Makes a rollout of what was previewed; 409 preview_stale, key_coverage.',
  needs: holds(release, 'project:manage_releases'),
  audit: 'rollout.create',
  rate: 'write',
  body: NewRollout,
  answer: Rollout,
  status: 201,
})
export const releaseRollouts = endpoint({
  method: 'GET',
  path: '/releases/:releaseId/rollouts',
  summary: 'The rollouts of a release, newest first.',
  needs: holds(release, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object(listQuery),
  answer: listOf('rollouts', Rollout),
})
export const projectRollouts = endpoint({
  method: 'GET',
  path: '/projects/:projectId/rollouts',
  summary: 'The rollouts of a project, newest first.',
  needs: holds(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object({ ...listQuery, state: optional(enums(rolloutStates)) }),
  answer: listOf('rollouts', Rollout),
})
export const rollout = endpoint({
  method: 'GET',
  path: '/rollouts/:rolloutId',
  summary: 'One rollout with its waves.',
  needs: holds(rolloutOf, 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: Rollout,
})

export const RolloutDevice = type({
  device_id: Id,
  device_name: string(),
  wave: integer(),
  from_version: nullable(integer()),
  from_display_version: nullable(string()),
  state: string(),
  reason: nullable(string()),
  progress_percent: nullable(number()),
  attempt: integer(),
  since: Timestamp,
})
export type RolloutDevice = Infer<typeof RolloutDevice>
export const rolloutDevices = endpoint({
  method: 'GET',
  path: '/rollouts/:rolloutId/devices',
  summary: 'The devices of a rollout.',
  needs: holds(rolloutOf, 'device:view'),
  audit: 'none',
  rate: 'read',
  query: object({
    ...listQuery,
    group: optional(enums(['succeeded', 'failed', 'running', 'waiting'])),
    wave: optional(string()),
  }),
  answer: listOf('devices', RolloutDevice),
})

export const submitRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/submit',
  summary: 'Asks for approval.',
  needs: write,
  audit: 'rollout.request_approval',
  rate: 'write',
  body: object({ comment: optional(text('Comment', { min: 0, max: 500 })) }),
  answer: Rollout,
})
export const approveRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/approve',
  summary: 'Approves; never the one who asked (409 self_approval).',
  needs: holds(rolloutOf, 'project:approve_releases'),
  audit: 'rollout.approve',
  rate: 'write',
  body: object({ comment: optional(text('Comment', { min: 0, max: 500 })) }),
  answer: Rollout,
})
export const denyRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/deny',
  summary: 'Denies.',
  needs: holds(rolloutOf, 'project:approve_releases'),
  audit: 'rollout.deny',
  rate: 'write',
  body: object({ comment: optional(text('Comment', { min: 0, max: 500 })) }),
  answer: Rollout,
})
export const startRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/start',
  summary: 'Starts or schedules.',
  needs: write,
  audit: 'rollout.start',
  rate: 'write',
  answer: Rollout,
})
export const pauseRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/pause',
  summary: 'No new offers until it is resumed.',
  needs: write,
  audit: 'rollout.pause',
  rate: 'write',
  body: reason,
  answer: Rollout,
})
export const resumeRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/resume',
  summary: 'Goes on; after a halt a reason is needed.',
  needs: write,
  audit: 'rollout.resume',
  rate: 'write',
  body: reason,
  answer: Rollout,
})
export const continueRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/continue',
  summary: 'Opens the next wave where the gate waits for a person.',
  needs: write,
  audit: 'rollout.wave_continue',
  rate: 'write',
  answer: Rollout,
})
export const haltRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/halt',
  summary: 'Stops new offers; running installs go on.',
  needs: write,
  audit: 'rollout.halt',
  rate: 'write',
  body: reason,
  answer: Rollout,
})
export const cancelRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/cancel',
  summary: 'Ends it: stop_new lets running installs end, abort_all asks devices to stop.',
  needs: write,
  audit: 'rollout.cancel',
  rate: 'write',
  body: object({ mode: enums(['stop_new', 'abort_all']), reason: optional(text('Reason', { min: 0, max: 500 })) }),
  answer: Rollout,
})
export const rollBackRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/roll_back',
  summary: 'Halts and offers each device its former release.',
  needs: write,
  audit: 'rollout.roll_back',
  rate: 'write',
  body: object({ reason: text('Reason', { max: 500 }) }),
  answer: Rollout,
})
export const retryFailed = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/retry_failed',
  summary: 'Queues what failed once more.',
  needs: write,
  audit: 'rollout.retry',
  rate: 'write',
  answer: Rollout,
})
export const rolloutTimeline = endpoint({
  method: 'GET',
  path: '/rollouts/:rolloutId/timeline',
  summary: 'State changes and what the gates measured.',
  needs: holds(rolloutOf, 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: type({
    entries: array(type({ at: Timestamp, kind: string(), text: string(), wave: nullable(integer()), by: nullable(string()) })),
  }),
})
