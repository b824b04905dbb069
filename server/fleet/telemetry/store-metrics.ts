import type { Infer } from 'superstruct'
import type { MetricsAnswer } from '../../../contract/device/api'
import type { ProjectSettings } from '../../../contract/projects'
import type { Tx } from '../../core/database/tx'
import { formatTimestamp } from '../../core/timestamps'
import { initialMetricState, healthOf, nextMetricState, type Judged, type MetricState } from './health'
import { prepareOnce } from '../../core/database/prepared'
import { groupCalls } from '../../core/http/group-calls'
import {
  insertMetrics,
  insertMetricsWithHealth,
  type LatestRow,
  type MeasuredDevice,
  type NewMetrics,
} from './metrics.repository'
import { increase, isCounter, type Point, type Sifted } from './points'

type Owner = { projectId: string; deviceId: string }
type Thresholds = ProjectSettings['health_thresholds']

const mostNames = 200

const count = (reasons: Record<string, number>, reason: string) => void (reasons[reason] = (reasons[reason] ?? 0) + 1)

const stateOf = (row: LatestRow | undefined): MetricState =>
  row ? { level: row.level, since: row.since, easedAt: row.easedAt } : initialMetricState

/** New points in their stored form: gauges unchanged, counters as their increase. Updates `latest`. */
const follow = (
  points: readonly Point[],
  latest: Map<string, LatestRow>,
  { projectId, deviceId }: Owner,
  thresholds: Thresholds,
  reasons: Record<string, number>,
) =>
  points.flatMap((point): Point[] => {
    const before = latest.get(point.name)
    if (!before && latest.size >= mostNames) {
      count(reasons, 'too_many_names')
      return []
    }
    const at = new Date(point.tsMs)
    const isNewer = !before || at > before.at
    if (isNewer) {
      const threshold = thresholds[point.name]
      const { level, since, easedAt } = threshold
        ? nextMetricState(stateOf(before), point.value, at, threshold)
        : initialMetricState
      latest.set(point.name, {
        projectId,
        deviceId,
        name: point.name,
        unit: point.unit ?? before?.unit ?? null,
        at,
        value: point.value,
        level,
        since,
        easedAt,
      })
    }
    if (!isCounter(point.name)) return [point]
    // An increase needs the previous value, and the order of time.
    return before && isNewer ? [{ ...point, value: increase(before.value, point.value) }] : []
  })

/** The health by the newest values; null if it is that of the device, without reasons, whose values change with each batch. */
const nextHealth = (device: MeasuredDevice, latest: Map<string, LatestRow>, thresholds: Thresholds) => {
  const judged = [...latest.values()].flatMap(({ name, ...state }): Judged[] => {
    const threshold = thresholds[name]
    return threshold ? [{ ...state, metric: name, threshold }] : []
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
  const owner = { projectId: device.projectId, deviceId: device.id }
  const before = new Map(device.latest.map((row) => [row.name, row]))
  const latest = new Map(before)
  const thresholds = settings.health_thresholds
  const followed = follow(points, latest, owner, thresholds, reasons)
  const moved = [...latest.values()].filter((row) => row !== before.get(row.name))
  const next = moved.length > 0 ? nextHealth(device, latest, thresholds) : null
  const batch = { owner, points: followed, latest: moved, before }
  if (next)
    await insertMetricsWithHealth(tx, batch, { ...next, was: device.healthStatus, now, pollS: settings.polling_interval_s })
  else if (followed.length > 0 || moved.length > 0) await insert(tx, batch)
  const dropped = Object.values(reasons).reduce((sum, n) => sum + n, 0)
  const tooMany = reasons.too_many_names ?? 0
  return { accepted: points.length - tooMany, dropped, reasons }
}
