import type { Infer } from 'superstruct'
import type { MetricsAnswer } from '../../../contract/device/api'
import type { ProjectSettings } from '../../../contract/projects'
import type { Tx } from '../../core/database/tx'
import { formatTimestamp } from '../../core/timestamps'
import { lockCallingDevice, updateDeviceHealth } from '../devices/repository'
import { initialMetricState, healthOf, nextMetricState, type Judged, type MetricState } from './health'
import { insertMetricPoints, type LatestRow, listLatestMetrics, updateLatestMetrics } from './metrics.repository'
import { increase, isCounter, type Point, type Sifted } from './points'

type Owner = { projectId: string; deviceId: string }
type Thresholds = ProjectSettings['health_thresholds']

const mostNames = 200

const count = (reasons: Record<string, number>, reason: string) => void (reasons[reason] = (reasons[reason] ?? 0) + 1)

/** New points in their stored form: gauges unchanged, counters as their increase. Updates `latest`. */
const follow = (
  points: readonly Point[],
  latest: Map<string, LatestRow>,
  owner: Owner,
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
      const state: MetricState = before
        ? { level: before.level, since: before.since, easedAt: before.easedAt }
        : initialMetricState
      const next = threshold ? nextMetricState(state, point.value, at, threshold) : initialMetricState
      latest.set(point.name, {
        ...owner,
        name: point.name,
        unit: point.unit ?? before?.unit ?? null,
        at,
        value: point.value,
        ...next,
      })
    }
    if (!isCounter(point.name)) return [point]
    // An increase needs the previous value, and the order of time.
    return before && isNewer ? [{ ...point, value: increase(before.value, point.value) }] : []
  })

const setHealth = async (tx: Tx, { deviceId }: Owner, latest: Map<string, LatestRow>, thresholds: Thresholds) => {
  const judged = [...latest.values()].flatMap(({ name, ...state }): Judged[] => {
    const threshold = thresholds[name]
    return threshold ? [{ ...state, metric: name, threshold }] : []
  })
  const health = healthOf(judged, formatTimestamp)
  await updateDeviceHealth(tx, deviceId, health)
}

/** Stores points, the newest value of each metric, and the resulting health of the device. */
export const storeMetrics = async (
  tx: Tx,
  owner: Owner,
  { points, reasons }: Sifted,
  settings: ProjectSettings,
): Promise<Infer<typeof MetricsAnswer>> => {
  // Batches of one device run one after another.
  await lockCallingDevice(tx, owner.deviceId)
  const known = await listLatestMetrics(tx, owner.deviceId)
  const latest = new Map(known.map((row) => [row.name, row]))
  const thresholds = settings.health_thresholds
  const given = new Set(points.map(({ name }) => name))
  await insertMetricPoints(tx, owner, follow(points, latest, owner, thresholds, reasons))
  const moved = [...latest.values()].filter(({ name }) => given.has(name))
  if (moved.length > 0) {
    await updateLatestMetrics(tx, moved)
    await setHealth(tx, owner, latest, thresholds)
  }
  const dropped = Object.values(reasons).reduce((sum, n) => sum + n, 0)
  const tooMany = reasons.too_many_names ?? 0
  return { accepted: points.length - tooMany, dropped, reasons }
}
