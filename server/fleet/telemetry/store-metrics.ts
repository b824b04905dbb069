import { and, eq, sql } from 'drizzle-orm'
import type { Infer } from 'superstruct'
import type { MetricsAnswer } from '../../../contract/device/api'
import type { ProjectSettings } from '../../../contract/projects'
import { devices } from '../schema/devices'
import { latestMetrics, staleMinutes } from '../schema/telemetry'
import { metricPoints } from '../schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import { formatTimestamp } from '../../core/timestamps'
import { calm, healthOf, nextMetricState, type Judged, type MetricState } from './health'
import { increase, isCounter, type Point, type Sifted } from './points'

type Owner = { projectId: string; deviceId: string }
type Latest = typeof latestMetrics.$inferSelect
type Thresholds = ProjectSettings['health_thresholds']

const mostNames = 200
const MINUTE_MS = 60_000

const count = (reasons: Record<string, number>, reason: string) => void (reasons[reason] = (reasons[reason] ?? 0) + 1)

/** New points in their stored form: gauges unchanged, counters as their increase. Updates `latest`. */
const follow = (
  points: readonly Point[],
  latest: Map<string, Latest>,
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
      const state: MetricState = before ? { level: before.level, since: before.since, easedAt: before.easedAt } : calm
      const next = threshold ? nextMetricState(state, point.value, at, threshold) : calm
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

const insertPoints = async (tx: Tx, { projectId, deviceId }: Owner, points: readonly Point[]) => {
  if (points.length === 0) return
  const names = sql.param(points.map(({ name }) => name))
  const times = sql.param(points.map(({ tsMs }) => new Date(tsMs).toISOString()))
  const values = sql.param(points.map(({ value }) => value))
  await tx.execute(sql`
    insert into ${metricPoints} (project_id, device_id, name, at, value)
    select ${projectId}, ${deviceId}, * from unnest(${names}::text[], ${times}::timestamptz[], ${values}::float8[])
    on conflict do nothing`)
  const minutes = [...new Set(points.map(({ tsMs }) => Math.floor(tsMs / MINUTE_MS) * MINUTE_MS))].toSorted((a, b) => a - b)
  await tx.insert(staleMinutes).values(minutes.map((minute) => ({ projectId, at: new Date(minute) })))
}

const setHealth = async (tx: Tx, { deviceId }: Owner, latest: Map<string, Latest>, thresholds: Thresholds) => {
  const judged = [...latest.values()].flatMap(({ name, ...state }): Judged[] => {
    const threshold = thresholds[name]
    return threshold ? [{ ...state, metric: name, threshold }] : []
  })
  const health = healthOf(judged, formatTimestamp)
  await tx
    .update(devices)
    .set({ healthStatus: health.status, healthReasons: health.reasons })
    .where(
      and(
        eq(devices.id, deviceId),
        sql`(${devices.healthStatus}, ${devices.healthReasons}) is distinct from (${health.status}, ${JSON.stringify(health.reasons)}::jsonb)`,
      ),
    )
}

/** Stores points, the newest value of each metric, and the resulting health of the device. */
export const storeMetrics = async (
  tx: Tx,
  owner: Owner,
  { points, reasons }: Sifted,
  settings: ProjectSettings,
): Promise<Infer<typeof MetricsAnswer>> => {
  // Batches of one device run one after another.
  await tx.select({ id: devices.id }).from(devices).where(eq(devices.id, owner.deviceId)).for('no key update')
  const known = await tx.select().from(latestMetrics).where(eq(latestMetrics.deviceId, owner.deviceId))
  const latest = new Map(known.map((row) => [row.name, row]))
  const thresholds = settings.health_thresholds
  const given = new Set(points.map(({ name }) => name))
  await insertPoints(tx, owner, follow(points, latest, owner, thresholds, reasons))
  const moved = [...latest.values()].filter(({ name }) => given.has(name))
  if (moved.length > 0) {
    const { projectId, name, deviceId } = latestMetrics
    const fresh = (column: string) => sql.raw(`excluded.${column}`)
    const set = {
      unit: fresh('unit'),
      at: fresh('at'),
      value: fresh('value'),
      level: fresh('level'),
      since: fresh('since'),
      easedAt: fresh('eased_at'),
    }
    await tx
      .insert(latestMetrics)
      .values(moved)
      .onConflictDoUpdate({ target: [projectId, name, deviceId], set })
    await setHealth(tx, owner, latest, thresholds)
  }
  const dropped = Object.values(reasons).reduce((sum, n) => sum + n, 0)
  const tooMany = reasons.too_many_names ?? 0
  return { accepted: points.length - tooMany, dropped, reasons }
}
