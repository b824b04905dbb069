import type { Infer } from 'superstruct'
import type { MetricsAnswer } from '../../../contract/device/api'
import { isCurrentValue } from '../../../contract/fleet/health'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import type { Tx } from '../../core/database/tx'
import { formatTimestamp } from '../../core/timestamps'
import { initialMetricState, healthOf, nextMetricState, type Judged } from './health'
import { prepareOnce } from '../../core/database/prepared'
import { groupCalls } from '../../core/http/group-calls'
import {
  insertMetrics,
  insertMetricsWithHealth,
  type LatestMetric,
  type MeasuredDevice,
  type NewMetrics,
  toLatestMetrics,
} from './metrics.repository'
import { increase, isCounter, type Point, type Sifted } from './points'

type Thresholds = ProjectSettings['health_thresholds']

/** A metric may have the name of something that each object has, as `constructor`. */
const thresholdOf = (thresholds: Thresholds, name: string) => (Object.hasOwn(thresholds, name) ? thresholds[name] : undefined)

const mostNames = 200

const count = (reasons: Record<string, number>, reason: string) => void (reasons[reason] = (reasons[reason] ?? 0) + 1)

/** New points in their stored form: gauges unchanged, counters as their increase. Updates `latest`. */
const follow = (
  points: readonly Point[],
  latest: Map<string, LatestMetric>,
  thresholds: Thresholds,
  reasons: Record<string, number>,
) => {
  let areNew = true
  const followed = points.flatMap((point): Point[] => {
    const before = latest.get(point.name)
    if (!before && latest.size >= mostNames) {
      count(reasons, 'too_many_names')
      return []
    }
    const isNewer = !before || point.tsMs > before.at
    areNew &&= isNewer
    if (isNewer) {
      const { name, tsMs: at, value } = point
      const threshold = thresholdOf(thresholds, name)
      const { level, since, easedAt } = threshold
        ? nextMetricState(before && isCurrentValue(before.at, at) ? before : initialMetricState, value, at, threshold)
        : initialMetricState
      latest.set(name, { name, unit: point.unit ?? before?.unit ?? null, at, value, level, since, easedAt })
    }
    if (!isCounter(point.name)) return [point]
    // An increase needs the previous value, and the order of time.
    return before && isNewer ? [{ ...point, value: increase(before.value, point.value) }] : []
  })
  return { points: followed, areNew }
}

/** The health by the newest values; null if it is that of the device, without reasons, whose values change with each batch. */
const nextHealth = (device: MeasuredDevice, newest: readonly LatestMetric[], thresholds: Thresholds) => {
  const newestAt = Math.max(...newest.map(({ at }) => at))
  const judged = newest.flatMap(({ name, ...state }): Judged[] => {
    const threshold = thresholdOf(thresholds, name)
    return threshold && isCurrentValue(state.at, newestAt) ? [{ ...state, metric: name, threshold }] : []
  })
  const { status, reasons } = healthOf(judged, formatTimestamp)
  if (status === device.healthStatus && reasons.length === 0 && device.healthReasons.length === 0) return null
  return { healthStatus: status, healthReasons: reasons }
}

/** Stores a batch that leaves the health of its device as it is. */
export type InsertMetrics = (tx: Tx, batch: NewMetrics) => Promise<void>

export const insertAlone: InsertMetrics = (tx, batch) => insertMetrics(tx, [batch])

const insertInGroups = prepareOnce((tx) =>
  groupCalls<NewMetrics, void>({
    one: (batch) => insertMetrics(tx, [batch]),
    all: async (batches) => {
      await insertMetrics(tx, batches)
      return batches.map(() => {})
    },
    keyOf: ({ owner }) => owner.deviceId,
    sizeOf: ({ points }) => points.length,
  }),
)

/**
 * Stores the batches of devices that report at the same time by one statement and one commit. Not in a transaction, and not with a
 * health, whose device may be locked: the others would wait for it.
 */
export const insertTogether: InsertMetrics = (tx, batch) => insertInGroups(tx)(batch)

/**
 * Stores points, the newest value of each metric, and the resulting health of the device, in one statement. Two batches of a device
 * at the same time conflict as transactions do: the later one is to be stored again, after the device was read again.
 */
export const storeMetrics = async (
  tx: Tx,
  device: MeasuredDevice,
  { points, reasons }: Sifted,
  settings: ProjectSettings,
  { now, insert }: { now: Date; insert: InsertMetrics },
): Promise<Infer<typeof MetricsAnswer>> => {
  const before = toLatestMetrics(device.latest)
  const latest = new Map(before.map((one) => [one.name, one]))
  const thresholds = settings.health_thresholds
  const stored = follow(points, latest, thresholds, reasons)
  const newest = [...latest.values()]
  const hasChanged = newest.some((one, n) => one !== before[n])
  const next = hasChanged ? nextHealth(device, newest, thresholds) : null
  const owner = { projectId: device.projectId, deviceId: device.id }
  const batch = { owner, ...stored, latest: hasChanged ? newest : null, before: device.latest }
  if (next)
    await insertMetricsWithHealth(tx, batch, { ...next, was: device.healthStatus, now, pollS: settings.polling_interval_s })
  else if (stored.points.length > 0 || hasChanged) await insert(tx, batch)
  const dropped = Object.values(reasons).reduce((sum, n) => sum + n, 0)
  const tooMany = reasons.too_many_names ?? 0
  return { accepted: points.length - tooMany, dropped, reasons }
}
