import { asc, eq, sql, type SQLWrapper } from 'drizzle-orm'
import { countValues } from '../counts/repository'
import { devices } from '../schema/devices'
import { latestMetrics } from '../schema/telemetry'
import { runPrepared } from '../../core/database/prepared'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'
import { eventPolls } from '../devices/connectivity'
import { addedTimeText } from '../devices/flaps.repository'
import type { DeviceRow } from '../devices/repository'
import type { Point } from './points'

type Owner = { projectId: string; deviceId: string }

/** The newest value of one metric of one device. */
export type LatestRow = typeof latestMetrics.$inferSelect

type MetricName = { name: string; unit: string | null; devices: number }

/** The metrics of a project by name, with a unit if devices report one, and the number of devices that report each. */
export const listMetricNames = async (tx: Tx, projectId: string): Promise<MetricName[]> => {
  const found = new Map<string, MetricName>()
  for (const [value, n] of await countValues(tx, projectId, 'metric')) {
    const [name, unit] = JSON.parse(value) as [string, string | null]
    const known = found.get(name) ?? { name, unit, devices: 0 }
    // The greatest of several units, so that the answer does not depend on the order of the rows.
    known.unit = unit !== null && (known.unit === null || unit > known.unit) ? unit : known.unit
    known.devices += n
    found.set(name, known)
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** The units of metrics by name, for those that have one. */
export const listMetricUnits = async (tx: Tx, projectId: string, names: readonly string[]): Promise<Map<string, string>> => {
  const known = await listMetricNames(tx, projectId)
  return new Map(known.flatMap(({ name, unit }) => (unit !== null && names.includes(name) ? [[name, unit]] : [])))
}

/** The newest values of a device, by name. */
export const listLatestMetrics = (tx: Tx, deviceId: string): Promise<LatestRow[]> =>
  tx.select().from(latestMetrics).where(eq(latestMetrics.deviceId, deviceId)).orderBy(asc(latestMetrics.name))

/** What a batch of metrics needs of its device. */
export type MeasuredDevice = Pick<DeviceRow, 'id' | 'projectId' | 'lifecycle' | 'healthStatus' | 'healthReasons'> & {
  latest: LatestRow[]
}

/** A newest value as it is read beside another row: JSON, with times in milliseconds. */
export type LatestTuple = [
  name: string,
  unit: string | null,
  at: number,
  value: number,
  level: LatestRow['level'],
  since: number | null,
  easedAt: number | null,
]

const ms = (column: SQLWrapper) => sql`(extract(epoch from ${column}) * 1000)::bigint`

/** The newest values of the device of a row of `devices`. */
export const latestOfDevice = sql<LatestTuple[]>`(
  select coalesce(json_agg(json_build_array(
    ${latestMetrics.name}, ${latestMetrics.unit}, ${ms(latestMetrics.at)}, ${latestMetrics.value}, ${latestMetrics.level},
    ${ms(latestMetrics.since)}, ${ms(latestMetrics.easedAt)})), '[]')
  from ${latestMetrics} where ${latestMetrics.deviceId} = ${devices.id})`

const toDate = (time: number | null) => (time === null ? null : new Date(time))

export const toLatestRow = (
  { projectId, deviceId }: Owner,
  [name, unit, at, value, level, since, easedAt]: LatestTuple,
): LatestRow => ({
  projectId,
  deviceId,
  name,
  unit,
  at: new Date(at),
  value,
  level,
  since: toDate(since),
  easedAt: toDate(easedAt),
})

/** A device with its newest values, read together. */
export const findMeasuredDevice = async (tx: Tx, id: string): Promise<MeasuredDevice> => {
  const { projectId, lifecycle, healthStatus, healthReasons } = devices
  const [found] = await tx
    .select({ projectId, lifecycle, healthStatus, healthReasons, latest: latestOfDevice })
    .from(devices)
    .where(eq(devices.id, id))
  if (!found) return refuse(401, 'unauthenticated')
  const owner = { projectId: found.projectId, deviceId: id }
  return { id, ...found, latest: found.latest.map((tuple) => toLatestRow(owner, tuple)) }
}

const storePart = `
  with given as materialized (
    select * from unnest($6::text[], $7::text[], $8::timestamptz[], $9::float8[], $10::text[], $11::timestamptz[],
      $12::timestamptz[], $13::timestamptz[]) as given (name, unit, at, value, level, since, eased_at, was)
  ),
  added as (
    insert into metric_points (project_id, device_id, name, at, value)
    select $1::text, $2::text, * from unnest($3::text[], $4::timestamptz[], $5::float8[])
    on conflict do nothing
    returning name, at, value
  ),
  queued as (
    insert into metric_batches (project_id, device_id, names, times, amounts)
    select $1::text, $2::text, array_agg(name), array_agg(at), array_agg(value) from added having count(*) > 0
  ),
  -- Apart, because an insert that finds a row locks it before the change.
  replaced as (
    update latest_metrics as known set unit = given.unit, at = given.at, value = given.value, level = given.level,
      since = given.since, eased_at = given.eased_at
    from given
    where known.device_id = $2 and known.project_id = $1 and known.name = given.name and known.at = given.was
    returning 1
  ),
  begun as (
    insert into latest_metrics (project_id, device_id, name, unit, at, value, level, since, eased_at)
    select $1::text, $2::text, name, unit, at, value, level, since, eased_at from given where was is null
    on conflict do nothing
    returning 1
  )`

const healthPart = `,
  judged as (
    update devices set health_status = $14, health_reasons = $15::jsonb
    where id = $2 and (health_status, health_reasons) is distinct from ($14, $15::jsonb)
    returning project_id, polling_interval_s
  ),
  worsened as (
    insert into device_flaps as known (device_id, project_id, kind, times)
    select $2::text, project_id, 'health', array[$17::timestamptz] from judged
    where $14 in ('warning', 'critical') and $16 not in ('warning', 'critical')
    on conflict (device_id, kind) do update set times = ${addedTimeText}
  ),
  noted as (
    insert into device_state_changes (device_id, kind, was, due_at)
    select $2::text, 'health', $16, $17::timestamptz + make_interval(secs => coalesce(polling_interval_s, $18::int) * ${eventPolls}.0)
    from judged where $14 <> $16
    on conflict (device_id, kind) do update set due_at = excluded.due_at
  )`

const checkPart = `
  select require_rows((select count(*) from replaced) + (select count(*) from begun), (select count(*) from given))`

const storeText = storePart + checkPart
// Apart: most batches leave the health as it is, and each part of a statement is prepared for each run.
const storeWithHealthText = storePart + healthPart + checkPart

type Was = { was: MeasuredDevice['healthStatus']; now: Date; pollS: number }

export type NewMetrics = {
  points: readonly Point[]
  /** Newest values that changed, and those that they follow, by name. */
  latest: readonly LatestRow[]
  before: ReadonlyMap<string, LatestRow>
  /** Null: stays. `was`: its status before; `pollS`: the polling interval of the project. */
  health: (Pick<MeasuredDevice, 'healthStatus' | 'healthReasons'> & Was) | null
}

/**
 * Inserts points, queues the new ones for the roll-up, replaces the newest values and the health: one statement for any number of
 * them. A change of the health status is announced two polls later. Values that follow others than the stored ones fail as a conflict of transactions: another batch of the device came first.
 */
export const insertMetrics = async (
  tx: Tx,
  { projectId, deviceId }: Owner,
  { points, latest, before, health }: NewMetrics,
): Promise<void> => {
  if (points.length === 0 && latest.length === 0) return
  const iso = (at: Date | null) => at?.toISOString() ?? null
  const values = [
    projectId,
    deviceId,
    points.map(({ name }) => name),
    points.map(({ tsMs }) => new Date(tsMs).toISOString()),
    points.map(({ value }) => value),
    latest.map(({ name }) => name),
    latest.map(({ unit }) => unit),
    latest.map(({ at }) => iso(at)),
    latest.map(({ value }) => value),
    latest.map(({ level }) => level),
    latest.map(({ since }) => iso(since)),
    latest.map(({ easedAt }) => iso(easedAt)),
    latest.map(({ name }) => iso(before.get(name)?.at ?? null)),
  ]
  if (!health) return void (await runPrepared(tx, 'store_metrics', storeText, values))
  const { healthStatus, healthReasons, was, now, pollS } = health
  await runPrepared(tx, 'store_metrics_and_health', storeWithHealthText, [
    ...values,
    healthStatus,
    JSON.stringify(healthReasons),
    was,
    now.toISOString(),
    pollS,
  ])
}
