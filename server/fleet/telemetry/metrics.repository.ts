import { and, eq, inArray, sql } from 'drizzle-orm'
import { latestMetrics, staleMinutes } from '../schema/telemetry'
import { metricPoints } from '../schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import type { Point } from './points'

type Owner = { projectId: string; deviceId: string }

/** The newest value of one metric of one device. */
export type LatestRow = typeof latestMetrics.$inferSelect

const MINUTE_MS = 60_000

/** The metrics of a project, with the number of devices that report each. */
export const listMetricNames = (tx: Tx, projectId: string) => {
  const { name, unit } = latestMetrics
  return tx
    .select({ name, unit: sql<string | null>`max(${unit})`, devices: sql<number>`count(*)` })
    .from(latestMetrics)
    .where(eq(latestMetrics.projectId, projectId))
    .groupBy(name)
    .orderBy(name)
}

/** The units of metrics by name, for those that have one. */
export const listMetricUnits = async (tx: Tx, projectId: string, names: readonly string[]): Promise<Map<string, string>> => {
  if (names.length === 0) return new Map()
  const { name, unit } = latestMetrics
  const rows = await tx
    .select({ name, unit: sql<string | null>`max(${unit})` })
    .from(latestMetrics)
    .where(and(eq(latestMetrics.projectId, projectId), inArray(name, [...names])))
    .groupBy(name)
  return new Map(rows.flatMap((row) => (row.unit === null ? [] : [[row.name, row.unit]])))
}

export const listLatestMetrics = (tx: Tx, deviceId: string): Promise<LatestRow[]> =>
  tx.select().from(latestMetrics).where(eq(latestMetrics.deviceId, deviceId))

/** Inserts points, and marks their minutes for the roll-up. */
export const insertMetricPoints = async (tx: Tx, { projectId, deviceId }: Owner, points: readonly Point[]): Promise<void> => {
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

/** Inserts or replaces the newest values. */
export const updateLatestMetrics = async (tx: Tx, rows: LatestRow[]): Promise<void> => {
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
    .values(rows)
    .onConflictDoUpdate({ target: [projectId, name, deviceId], set })
}
