import { array, boolean, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { endpoint, requires, onObject } from './endpoint'
import { pattern, text, boundedInteger } from './rules'
import { Id, Sha256 } from './shapes'
import { TagName } from './tags'

export const Gate = object({
  min_success_percent: boundedInteger('Minimum success', 0, 100),
  max_failure_percent: boundedInteger('Maximum failure', 0, 100),
  min_sample: boundedInteger('Minimum sample', 1),
  soak_s: boundedInteger('Soak time', 0, 604_800),
  then: enums(['continue', 'wait_for_user']),
})
export type Gate = Infer<typeof Gate>
export const Wave = object({ kind: enums(['percent', 'count']), value: boundedInteger('Value', 1), gate: Gate })
export type Wave = Infer<typeof Wave>

export const defaultGate: Gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 0, then: 'continue' }
/** 1 %, 10 %, 50 %, 100 %. */
export const defaultWaves: Wave[] = [1, 10, 50, 100].map((value) => ({ kind: 'percent', value, gate: defaultGate }))

// Shares must rise among themselves; a count of devices cannot be compared with a share.
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
  /** Only devices that trust one of the keys that signed the release. */
  key_trusted: optional(boolean()),
})
export type Target = Infer<typeof Target>

export const MaintenanceWindow = object({
  days: array(enums(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])),
  from: pattern('time', /^([01]\d|2[0-3]):[0-5]\d$/, 'Enter a time such as 22:00'),
  to: pattern('time', /^([01]\d|2[0-3]):[0-5]\d$/, 'Enter a time such as 04:00'),
  zone: text('Zone', { max: 64 }),
})
export type MaintenanceWindow = Infer<typeof MaintenanceWindow>

/** The input of a preview and of a rollout. */
export const plan = { target: Target, waves: optional(Waves), membership: optional(enums(['frozen', 'dynamic'])) }
/** A preview only has whether the rollout allows downgrades; the rollout also has the reason. */
export const RolloutPlan = object({ ...plan, allow_downgrade: optional(boolean()) })
/** `never_seen`: it has not checked in yet, so its trusted keys are not known. */
const Sample = type({ id: Id, name: string(), never_seen: boolean() })
/** Why devices with a newer version are left out. `rollout`: they would accept it, but this rollout does not allow downgrades. */
export const newerReasons = ['rollout', 'not_listed', 'signed_before', 'unknown_release'] as const
export const RolloutPreview = type({
  total: integer(),
  waves: array(type({ n: integer(), count: integer(), sample: array(type({ id: Id, name: string() })) })),
  excluded: array(type({ reason: string(), count: integer(), sample: array(Sample) })),
  /** Of those excluded as `version_newer`: the versions they run, and what would have to allow the downgrade. */
  newer: array(
    type({
      version: integer(),
      display_version: nullable(string()),
      reason: enums(newerReasons),
      count: integer(),
      sample: array(type({ id: Id, name: string() })),
    }),
  ),
  /** `missing`: some of those that trust none of the keys. */
  key_coverage: type({ trusting: integer(), total: integer(), missing: array(Sample) }),
  size_bytes_total: integer(),
  preview_hash: Sha256,
})
export type RolloutPreview = Infer<typeof RolloutPreview>
export const previewRollout = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/rollouts/preview',
  summary: 'Preview a rollout: the devices of each wave, and the excluded devices with the reason.',
  needs: requires(onObject('release', 'releaseId'), 'project:view'),
  audit: 'none',
  rate: 'read',
  body: RolloutPlan,
  answer: RolloutPreview,
})
