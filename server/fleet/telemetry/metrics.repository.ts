import { asc, eq, sql, type SQLWrapper } from 'drizzle-orm'
import { countValues } from '../counts/repository'
import { devices } from '../schema/devices'
import { latestMetrics } from '../schema/telemetry'
import { createDictionary, type Numbers, numbersLiteral } from '../../core/database/literals'
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

// Texts are numbered, times are milliseconds: most of the time of a short statement is that of writing and reading its values.
const text = (n: string) => `($3::text[])[${n}]`
const time = (ms: string) => `to_timestamp(${ms} / 1000)`

// The values may be those of several devices: `batch` is the number of a project and a device.
const storePart = `
  with given as materialized (
    select ($1::text[])[batch] as project_id, ($2::text[])[batch] as device_id, ${text('name')} as name, ${text('unit')} as unit,
      ${time('at')} as at, value, ${text('level')} as level, ${time('since')} as since, ${time('eased_at')} as eased_at,
      ${time('was')} as was
    from unnest($8::int[], $9::int[], $10::int[], $11::float8[], $12::float8[], $13::int[], $14::float8[], $15::float8[], $16::float8[])
      as given (batch, name, unit, at, value, level, since, eased_at, was)
  ),
  added as (
    insert into metric_points (project_id, device_id, name, at, value)
    select ($1::text[])[batch], ($2::text[])[batch], ${text('name')}, ${time('at')}, value
    from unnest($4::int[], $5::int[], $6::float8[], $7::float8[]) as point (batch, name, at, value)
    on conflict do nothing
    returning project_id, device_id, name, at, value
  ),
  queued as (
    insert into metric_batches (project_id, device_id, names, times, amounts)
    select project_id, device_id, array_agg(name), array_agg(at), array_agg(value) from added group by 1, 2
  ),
  -- Apart, because an insert that finds a row locks it before the change.
  replaced as (
    update latest_metrics as known set unit = given.unit, at = given.at, value = given.value, level = given.level,
      since = given.since, eased_at = given.eased_at
    from given
    where known.device_id = given.device_id and known.project_id = given.project_id and known.name = given.name
      and known.at = given.was
    returning 1
  ),
  begun as (
    insert into latest_metrics (project_id, device_id, name, unit, at, value, level, since, eased_at)
    select project_id, device_id, name, unit, at, value, level, since, eased_at from given where was is null
    on conflict do nothing
    returning 1
  )`

const healthPart = `,
  judged as (
    update devices set health_status = $18, health_reasons = $19::jsonb
    where id = $17 and (health_status, health_reasons) is distinct from ($18, $19::jsonb)
    returning id, project_id, polling_interval_s
  ),
  worsened as (
    insert into device_flaps as known (device_id, project_id, kind, times)
    select id, project_id, 'health', array[$21::timestamptz] from judged
    where $18 in ('warning', 'critical') and $20 not in ('warning', 'critical')
    on conflict (device_id, kind) do update set times = ${addedTimeText}
  ),
  noted as (
    insert into device_state_changes (device_id, kind, was, due_at)
    select id, 'health', $20, $21::timestamptz + make_interval(secs => coalesce(polling_interval_s, $22::int) * ${eventPolls}.0)
    from judged where $18 <> $20
    on conflict (device_id, kind) do update set due_at = excluded.due_at
  )`

const checkPart = `
  select require_rows((select count(*) from replaced) + (select count(*) from begun), (select count(*) from given))`

const storeText = storePart + checkPart
// Apart: most batches leave the health as it is, and each part of a statement is prepared for each run.
const storeWithHealthText = storePart + healthPart + checkPart

export type NewMetrics = {
  owner: Owner
  points: readonly Point[]
  /** Newest values that changed, and those that they follow, by name. */
  latest: readonly LatestRow[]
  before: ReadonlyMap<string, LatestRow>
}

const columnsOf = (count: number) => Array.from({ length: count }, (): (number | null)[] => [])
const addRow = (columns: readonly (number | null)[][], row: Numbers) =>
  columns.forEach((column, n) => column.push(row[n] ?? null))
const toMs = (at: Date | null | undefined) => at?.getTime() ?? null

const toValues = (batches: readonly NewMetrics[]) => {
  const { texts, numberOf } = createDictionary()
  const [points, newest] = [columnsOf(4), columnsOf(9)]
  for (const [before, batch] of batches.entries()) {
    const n = before + 1
    for (const { name, tsMs, value } of batch.points) addRow(points, [n, numberOf(name), tsMs, value])
    for (const { name, unit, at, value, level, since, easedAt } of batch.latest) {
      const was = toMs(batch.before.get(name)?.at)
      const texted = [numberOf(name), numberOf(unit)]
      addRow(newest, [n, ...texted, toMs(at), value, numberOf(level), toMs(since), toMs(easedAt), was])
    }
  }
  const owners = batches.map(({ owner }) => owner)
  return [
    owners.map(({ projectId }) => projectId),
    owners.map(({ deviceId }) => deviceId),
    texts(),
    ...points.map(numbersLiteral),
    ...newest.map(numbersLiteral),
  ]
}

/**
 * Inserts points, queues the new ones for the roll-up, and replaces the newest values: one statement for any number of them, of any
 * number of devices. Values that follow others than the stored ones make it fail as a conflict of transactions: another batch of a
 * device came first.
 */
export const insertMetrics = async (tx: Tx, batches: readonly NewMetrics[]): Promise<void> => {
  // Statements of several processes lock the rows of the same devices in the same order.
  const ordered = batches.toSorted((a, b) => (a.owner.deviceId < b.owner.deviceId ? -1 : 1))
  await runPrepared(tx, 'store_metrics', storeText, toValues(ordered))
}

/** `was`: its status before; `pollS`: the polling interval of the project. */
export type NewHealth = Pick<MeasuredDevice, 'healthStatus' | 'healthReasons'> & {
  was: MeasuredDevice['healthStatus']
  now: Date
  pollS: number
}

/** The same for one device, with its health. A change of the health status is announced two polls later. */
export const insertMetricsWithHealth = async (
  tx: Tx,
  batch: NewMetrics,
  { healthStatus, healthReasons, was, now, pollS }: NewHealth,
): Promise<void> => {
  await runPrepared(tx, 'store_metrics_and_health', storeWithHealthText, [
    ...toValues([batch]),
    batch.owner.deviceId,
    healthStatus,
    JSON.stringify(healthReasons),
    was,
    now.toISOString(),
    pollS,
  ])
}
