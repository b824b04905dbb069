import { array, boolean, enums, type Infer, integer, nullable, number, object, optional, string, tuple, type } from 'superstruct'
import { attentionKinds } from '../fleet/devices'
import { endpoint, requires, inProject, onObject } from '../core/endpoint'
import { RolloutCounts } from '../updates/rollouts'
import { text, integerParam } from '../core/rules'
import { Id, Timestamp } from '../core/shapes'

export const attentionActions = [
  'accept',
  'clear_quarantine',
  'resume_updates',
  'retry_failed',
  'check_now',
  'open_logs',
  'open_release',
] as const

const Attention = type({
  device_id: Id,
  device_name: string(),
  kind: enums(attentionKinds),
  /** The release that the device runs. */
  release_id: nullable(Id),
  text: string(),
  since: nullable(Timestamp),
  /** What a person can do about it at once. `retry_failed`: for all failed devices of its rollout. */
  action: nullable(enums(attentionActions)),
})

/** A device that came back online, or became unhealthy, `times` times in the last hours. */
const Flapping = type({
  device_id: Id,
  device_name: string(),
  kind: enums(['connectivity', 'health']),
  times: integer(),
  last_at: Timestamp,
})
/** Monitor shows so many of the open rollouts, the newest. */
export const shownRollouts = 20

/** The hours in which changes count, and the times from which on a device flaps. */
export const flapping = { hours: 6, times: 4 } as const

/** How far a project is from its creation to its first completed rollout and its second person. */
const Setup = type({
  /** A key that can sign releases. */
  key: boolean(),
  release: enums(['none', 'added', 'signed']),
  rollout: enums(['none', 'open', 'completed']),
  /** `invited` only for those who may see invites. */
  people: enums(['one', 'invited', 'several']),
})
export type Setup = Infer<typeof Setup>

export const Overview = type({
  counts: type({
    total: integer(),
    online: integer(),
    late: integer(),
    offline: integer(),
    never_seen: integer(),
    attention: integer(),
    /** Null if there are more than 1,000. */
    flapping: nullable(integer()),
  }),
  versions: array(type({ version: nullable(integer()), display_version: nullable(string()), count: integer() })),
  /** Rollouts that have not ended. `asked_by`: who created it or requested approval; another person approves. */
  rollouts: array(
    type({
      id: Id,
      release_id: Id,
      name: string(),
      state: string(),
      current_wave: integer(),
      waves: integer(),
      counts: RolloutCounts,
      failed_percent: number(),
      gate_percent: nullable(number()),
      start_at: nullable(Timestamp),
      requires_approval: boolean(),
      asked_by: array(string()),
    }),
  ),
  attention: array(Attention),
  flapping: array(Flapping),
  releases: array(type({ release_id: Id, name: string(), ts_ms: integer() })),
  setup: Setup,
})
export type Overview = Infer<typeof Overview>

export const overview = endpoint({
  method: 'GET',
  path: '/projects/:projectId/overview',
  summary: 'Get counts, versions, running rollouts and devices that need attention.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: Overview,
})

const Point = tuple([integer(), nullable(number())])
export const Series = type({
  from: integer(),
  to: integer(),
  step_s: integer(),
  series: array(
    type({
      name: string(),
      unit: nullable(string()),
      agg: string(),
      /** Of which device or group it is; `tag` is the name of one, and an empty value stands for devices without any. */
      labels: type({
        device_id: optional(string()),
        tag: optional(string()),
        model: optional(string()),
        release: optional(string()),
        /** It sums the groups that are not returned by themselves. */
        other: optional(boolean()),
      }),
      points: array(Point),
    }),
  ),
})
export type Series = Infer<typeof Series>

const metricQuery = {
  names: text('Names', { max: 1024 }),
  from: integerParam('From', 0),
  to: integerParam('To', 0),
  /** Whole hours in a range that begins before the time since when single values are kept. */
  step_s: optional(integerParam('Step', 10, 86_400)),
  agg: optional(text('Aggregation', { max: 32 })),
}
export const metricGroupings = ['none', 'tag', 'model', 'release'] as const
export type MetricGrouping = (typeof metricGroupings)[number]
const MetricNames = type({
  metric_names: array(type({ name: string(), unit: nullable(string()), kind: string(), devices: integer() })),
})
/** The value of a counter is its reading; its series are increases. */
const DeviceMetricNames = type({
  metric_names: array(type({ name: string(), unit: nullable(string()), kind: string(), at: Timestamp, value: number() })),
})

export const projectMetrics = endpoint({
  method: 'GET',
  path: '/projects/:projectId/metrics',
  summary:
    'Get series over the fleet or its groups. `agg` lists avg, min, max, p50, p95 by comma; at most 1,000 points a series and 20 series. `top` returns the groups with the most values, and the rest as one (but for tags, of which a device has several).',
  needs: requires(inProject, 'device:view'),
  audit: 'none',
  rate: 'read',
  query: object({ ...metricQuery, group_by: optional(enums(metricGroupings)), top: optional(integerParam('Top', 1, 20)) }),
  answer: Series,
})
export const projectMetricNames = endpoint({
  method: 'GET',
  path: '/projects/:projectId/metric_names',
  summary: 'List the metrics that devices have reported.',
  needs: requires(inProject, 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: MetricNames,
})
export const deviceMetricNames = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/metric_names',
  summary: 'List the metrics that a device has reported, each with its newest value.',
  needs: requires(onObject('device', 'deviceId'), 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: DeviceMetricNames,
})
export const deviceMetrics = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/metrics',
  summary: 'Get series of a device.',
  needs: requires(onObject('device', 'deviceId'), 'device:view'),
  audit: 'none',
  rate: 'read',
  query: object(metricQuery),
  answer: Series,
})
