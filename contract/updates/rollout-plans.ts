import {
  array,
  boolean,
  dynamic,
  enums,
  type Infer,
  integer,
  literal,
  nullable,
  object,
  optional,
  refine,
  string,
  type Struct,
  type,
} from 'superstruct'
import { endpoint, requires, onObject } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { boundedList } from '../core/bounded'
import { boundedInteger, integerParam, pattern, text } from '../core/rules'
import { Id, Sha256, Timestamp } from '../core/shapes'
import { TagName } from '../fleet/tags'
import { isTimeZone } from '../core/time-zone'

export const Gate = object({
  min_success_percent: boundedInteger('Minimum success', 0, 100),
  max_failure_percent: boundedInteger('Maximum failure', 0, 100),
  min_sample: boundedInteger('Minimum sample', 1),
  soak_s: boundedInteger('Soak time', 0, 604_800),
  /** Also fails when the share of devices in critical health has more than doubled since the wave opened, from 3 devices. */
  health_gate: optional(boolean()),
  then: enums(['continue', 'wait_for_user']),
})
export type Gate = Infer<typeof Gate>
/** With the health gate a wave soaks at least so long: health follows an update with a delay. */
export const healthSoakS = 3600

const ShareWave = object({ kind: enums(['percent', 'count']), value: boundedInteger('Value', 1), gate: Gate })
const TagWave = object({ kind: literal('tag'), value: TagName, gate: Gate })
/** Percent and count are cumulative and divide the devices that have the tag of no tag wave. */
export type ShareWave = Infer<typeof ShareWave>
type TagWave = Infer<typeof TagWave>
export type Wave = ShareWave | TagWave
const hasTagKind = (value: unknown) => typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'tag'
// Unlike a union, this names the wrong field of a wave. A struct of one kind is no struct of both for the type checker.
export const Wave = dynamic((value) => (hasTagKind(value) ? TagWave : ShareWave) as unknown as Struct<Wave, null>)
export const isShareWave = (wave: Wave): wave is ShareWave => wave.kind !== 'tag'

export const defaultGate: Gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 0, then: 'continue' }
/** 1 %, 10 %, 50 %, 100 %. */
export const defaultWaves: Wave[] = [1, 10, 50, 100].map((value) => ({ kind: 'percent', value, gate: defaultGate }))

// Shares must rise among themselves; a count of devices cannot be compared with a share.
const rising = (waves: readonly ShareWave[]) => {
  const shares = waves.filter(({ kind }) => kind === 'percent')
  return shares.every(({ value }, n) => n === 0 || value > (shares[n - 1]?.value ?? 0))
}
// The last count takes all that are left.
const takesAll = (last: ShareWave | undefined) => last?.kind === 'count' || last?.value === 100
const counted = refine(boundedList(Wave, 20, 'Use 1 to 20 waves'), 'count', (value) => value.length >= 1 || 'Use 1 to 20 waves')
const complete = refine(
  counted,
  'rest',
  (value) => value.some(isShareWave) || 'Add a wave of 100 % for the devices without these tags',
)
export const Waves = refine(complete, 'rising', (value) => {
  const shares = value.filter(isShareWave)
  return shares.length === 0 || (takesAll(shares.at(-1)) && rising(shares)) || 'Waves must rise and end at 100 %'
})

const tagNames = boundedList(TagName, 50, 'Use at most 50 tags')
const targetFields = object({
  tags_all: optional(tagNames),
  tags_any: optional(tagNames),
  tags_none: optional(tagNames),
  /** Ids of hardware models. */
  models: optional(boundedList(text('Model', { max: 63 }), 50, 'Use at most 50 models')),
  /** Installed versions, as compared by devices. */
  versions: optional(boundedList(boundedInteger('Version', 0), 50, 'Use at most 50 versions')),
  /** Text in the name or serial number, as in the device list. */
  query: optional(text('Search text', { max: 200 })),
  /** In addition to the devices that the other fields select. */
  device_ids: optional(boundedList(Id, 1000, 'Name at most 1,000 devices')),
  /** The devices that failed in this rollout of the project, in addition to those that the other fields select. */
  failed_in: optional(Id),
  everything: optional(boolean()),
  /** Only devices that trust one of the keys that signed the release. */
  key_trusted: optional(boolean()),
})
export type Target = Infer<typeof targetFields>
// `tags_none` alone would select almost a whole fleet by accident.
const isExplicit = ({ everything, query, device_ids, failed_in, tags_all, tags_any, models, versions }: Target): boolean =>
  everything === true ||
  query !== undefined ||
  failed_in !== undefined ||
  [device_ids, tags_all, tags_any, models, versions].some((list) => list !== undefined && list.length > 0)
export const Target = refine(targetFields, 'required', (value) => isExplicit(value) || 'Choose which devices')

const time = (example: string) => pattern('time', /^([01]\d|2[0-3]):[0-5]\d$/, `Enter a time such as ${example}`)
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export const MaintenanceWindow = refine(
  object({
    days: refine(
      boundedList(enums(weekdays), weekdays.length),
      'required',
      (value) => value.length > 0 || 'Choose at least one day',
    ),
    from: time('22:00'),
    to: time('04:00'),
    /** `device`: each device's own zone, UTC for those without one. */
    zone: refine(
      text('Zone', { max: 64 }),
      'zone',
      (value) => value === 'device' || isTimeZone(value) || 'This is not a known time zone',
    ),
  }),
  'same',
  ({ from, to }, { path }) =>
    from !== to || { path: [...path, 'to'], message: 'The window must end at a different time than it starts' },
)
export type MaintenanceWindow = Infer<typeof MaintenanceWindow>

/** Wait before attempt n + 1: `first_s` × `factor` ^ (n − 1), at most `max_s`. */
export const Backoff = refine(
  object({
    first_s: boundedInteger('First wait', 1, 604_800),
    factor: boundedInteger('Factor', 1, 10),
    max_s: boundedInteger('Longest wait', 1, 604_800),
  }),
  'order',
  ({ first_s, max_s }, { path }) =>
    max_s >= first_s || { path: [...path, 'max_s'], message: 'The longest wait must not be below the first' },
)
export type Backoff = Infer<typeof Backoff>
export const defaultBackoff: Backoff = { first_s: 300, factor: 2, max_s: 86_400 }

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
  /**
   * `plan_wave`: its position in the plan. Waves without devices are merged into the next one. `asked_count`: the number of devices
   * up to this last wave in the plan, if it takes more, because the last wave takes all that are left; otherwise null.
   */
  waves: array(
    type({
      n: integer(),
      plan_wave: integer(),
      count: integer(),
      asked_count: nullable(integer()),
      sample: array(type({ id: Id, name: string() })),
    }),
  ),
  /** Open rollouts in which included devices wait or are being updated, those with the most of them first; at most five. */
  overlaps: array(type({ rollout_id: Id, name: string(), count: integer() })),
  /** Included devices whose updates are paused: each waits for the end of its pause. `until`: the last of these ends. */
  paused: nullable(type({ count: integer(), until: Timestamp })),
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
  /** `not_applicable`: their client verifies its bundle itself. `missing`: some of those that trust none of the keys. */
  key_coverage: type({ trusting: integer(), not_applicable: integer(), total: integer(), missing: array(Sample) }),
  size_bytes_total: integer(),
  /** By the rule of the project or of its organization, another person must approve the rollout. */
  requires_approval: boolean(),
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

const previewGroups = ['included', 'excluded'] as const
/** One targeted device; `reason` is the first check that it fails, null if it is included. `paused_until`: it waits until then. */
export const PreviewDevice = type({
  id: Id,
  name: string(),
  hardware_model: string(),
  version: nullable(integer()),
  display_version: nullable(string()),
  wave: nullable(integer()),
  paused_until: nullable(Timestamp),
  reason: nullable(string()),
  text: nullable(string()),
  observed: nullable(string()),
  required: nullable(string()),
})
export type PreviewDevice = Infer<typeof PreviewDevice>
export const previewRolloutDevices = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/rollouts/preview/devices',
  summary: 'List the targeted devices of a rollout preview: the wave of each, or the check that excludes it.',
  needs: requires(onObject('release', 'releaseId'), 'project:view', 'device:view'),
  audit: 'none',
  rate: 'read',
  query: object({
    ...listQuery,
    group: optional(enums(previewGroups)),
    wave: optional(integerParam('Wave', 1, 20)),
    reason: optional(text('Reason', { max: 64 })),
    /** Of the preview that is shown: its devices are listed, as long as the server has them. */
    preview_hash: optional(Sha256),
  }),
  body: RolloutPlan,
  answer: listOf('devices', PreviewDevice),
})
