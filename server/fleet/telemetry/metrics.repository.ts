import { eq, sql } from 'drizzle-orm'
import { latestMetrics, metricBatches } from '../schema/telemetry'
import { metricPoints } from '../schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import type { Point } from './points'

type Owner = { projectId: string; deviceId: string }

/** The newest value of one metric of one device. */
export type LatestRow = typeof latestMetrics.$inferSelect

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

/** The units of metrics by name, for those that have one: that of the first device which reports one. */
export const listMetricUnits = async (tx: Tx, projectId: string, names: readonly string[]): Promise<Map<string, string>> => {
  if (names.length === 0) return new Map()
  const { rows } = await tx.execute<{ name: string; unit: string }>(sql`
    select asked.name, first.unit from unnest(${sql.param([...new Set(names)])}::text[]) as asked (name),
      lateral (
        select unit from ${latestMetrics} where project_id = ${projectId} and name = asked.name and unit is not null
        order by device_id limit 1
      ) first`)
  return new Map(rows.map(({ name, unit }) => [name, unit]))
}

export const listLatestMetrics = (tx: Tx, deviceId: string): Promise<LatestRow[]> =>
  tx.select().from(latestMetrics).where(eq(latestMetrics.deviceId, deviceId))

/** Inserts points, queues the new ones for the roll-up, and replaces the newest values: one statement for any number of them. */
export const insertMetrics = async (
  tx: Tx,
  { projectId, deviceId }: Owner,
  points: readonly Point[],
  latest: readonly LatestRow[],
): Promise<void> => {
  if (points.length === 0 && latest.length === 0) return
  const column = <T>(rows: readonly T[], value: (row: T) => unknown) => sql.param(rows.map(value))
  const iso = (at: Date | null) => at?.toISOString() ?? null
  await tx.execute(sql`
    with added as (
      insert into ${metricPoints} (project_id, device_id, name, at, value)
      select ${projectId}, ${deviceId}, * from unnest(
        ${column(points, ({ name }) => name)}::text[],
        ${column(points, ({ tsMs }) => new Date(tsMs).toISOString())}::timestamptz[],
        ${column(points, ({ value }) => value)}::float8[])
      on conflict do nothing
      returning name, at, value
    ),
    queued as (
      insert into ${metricBatches} (project_id, device_id, names, times, amounts)
      select ${projectId}, ${deviceId}, array_agg(name), array_agg(at), array_agg(value) from added having count(*) > 0
    )
    insert into ${latestMetrics} (project_id, device_id, name, unit, at, value, level, since, eased_at)
    select ${projectId}, ${deviceId}, * from unnest(
      ${column(latest, ({ name }) => name)}::text[], ${column(latest, ({ unit }) => unit)}::text[],
      ${column(latest, ({ at }) => iso(at))}::timestamptz[], ${column(latest, ({ value }) => value)}::float8[],
      ${column(latest, ({ level }) => level)}::text[], ${column(latest, ({ since }) => iso(since))}::timestamptz[],
      ${column(latest, ({ easedAt }) => iso(easedAt))}::timestamptz[])
    on conflict (project_id, name, device_id) do update set unit = excluded.unit, at = excluded.at, value = excluded.value,
      level = excluded.level, since = excluded.since, eased_at = excluded.eased_at`)
}
