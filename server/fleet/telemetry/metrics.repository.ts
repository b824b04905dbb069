import { eq } from 'drizzle-orm'
import { countValues } from '../counts/repository'
import { devices } from '../schema/devices'
import { latestMetrics } from '../schema/telemetry'
import { createDictionary, type Numbers, numbersLiteral } from '../../core/database/literals'
import { runPrepared } from '../../core/database/prepared'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'
import { eventPolls } from '../devices/state/connectivity'
import { addedTimeText } from '../devices/state/flaps.repository'
import type { DeviceRow } from '../devices/repository'
import type { MetricState } from './health'
import type { Point } from './points'

type Owner = { projectId: string; deviceId: string }

/** The newest value of one metric of one device, with its level by the thresholds. */
export type LatestMetric = MetricState & { name: string; unit: string | null; at: number; value: number }

const { revision, metrics, readings } = latestMetrics
export const latestColumns = { revision, metrics, readings }
type LatestRow = Pick<typeof latestMetrics.$inferSelect, keyof typeof latestColumns>

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

/** What a batch of metrics needs of its device, with its newest values, if it has any. */
export type MeasuredDevice = Pick<DeviceRow, 'id' | 'projectId' | 'lifecycle' | 'healthStatus' | 'healthReasons'> & {
  latest: LatestRow | null
}

/** The newest values of a device, in the order of its row. */
export const toLatestMetrics = (row: LatestRow | null): LatestMetric[] =>
  row?.metrics.map(([name, unit], n) => {
    const reading = row.readings[n]
    if (!reading) throw new Error(`the newest values have no reading of ${name}`)
    const [at, value, level, since, easedAt] = reading
    return { name, unit, at, value, level: level ?? 'healthy', since: since ?? null, easedAt: easedAt ?? null }
  }) ?? []

/** The newest values of a device, by name. */
export const listLatestMetrics = async (tx: Tx, deviceId: string): Promise<LatestMetric[]> => {
  const [row] = await tx.select(latestColumns).from(latestMetrics).where(eq(latestMetrics.deviceId, deviceId))
  return toLatestMetrics(row ?? null).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** A device with its newest values, read together. */
export const findMeasuredDevice = async (tx: Tx, id: string): Promise<MeasuredDevice> => {
  const { projectId, lifecycle, healthStatus, healthReasons } = devices
  const [found] = await tx
    .select({ id: devices.id, projectId, lifecycle, healthStatus, healthReasons, latest: latestColumns })
    .from(devices)
    .leftJoin(latestMetrics, eq(latestMetrics.deviceId, devices.id))
    .where(eq(devices.id, id))
  return found ?? refuse(401, 'unauthenticated')
}

// Texts are numbered, times are milliseconds: most of the time of a short statement is that of writing and reading its values.
// The values may be those of several devices: `batch` is the number of a project and a device.
const storeParts = (onKnownPoint: string, condition = '') => `
  given as materialized (
    select * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[]) as given (project_id, device_id, was, metrics, readings)
    where readings is not null
  ),
  added as (
    insert into metric_points (project_id, device_id, name, at, value)
    select ($1::text[])[batch], ($2::text[])[batch], ($6::text[])[name], to_timestamp(at / 1000), value
    from unnest($7::int[], $8::int[], $9::float8[], $10::float8[]) as point (batch, name, at, value)
    ${onKnownPoint}
    returning project_id, device_id, name, at, value
  ),
  queued as (
    insert into metric_batches (project_id, device_id, names, times, amounts)
    select project_id, device_id, array_agg(name), array_agg(at), array_agg(value) from added group by 1, 2
  ),
  -- Apart, because an insert that finds a row locks it before the change.
  replaced as (
    update latest_metrics as known set revision = known.revision + 1, metrics = coalesce(given.metrics::jsonb, known.metrics),
      readings = given.readings::json
    from given where known.device_id = given.device_id and known.revision = given.was ${condition}
    returning 1
  ),
  begun as (
    insert into latest_metrics (project_id, device_id, metrics, readings)
    select project_id, device_id, metrics::jsonb, readings::json from given where was is null
    on conflict do nothing
    returning 1
  )`

const healthParts = `
  judged as (
    update devices set health_status = $12, health_reasons = $13::jsonb
    where id = $11 and (health_status, health_reasons) is distinct from ($12, $13::jsonb)
    returning id, project_id, polling_interval_s
  ),
  worsened as (
    insert into device_flaps as known (device_id, project_id, kind, times)
    select id, project_id, 'health', array[$15::timestamptz] from judged
    where $12 in ('warning', 'critical') and $14 not in ('warning', 'critical')
    on conflict (device_id, kind) do update set times = ${addedTimeText}
  ),
  noted as (
    insert into device_state_changes (device_id, kind, was, due_at)
    select id, 'health', $14, $15::timestamptz + make_interval(secs => coalesce(polling_interval_s, $16::int) * ${eventPolls}.0)
    from judged where $12 <> $14
    on conflict (device_id, kind) do update set due_at = excluded.due_at
  )`

const check = `
  select require_rows((select count(*) from replaced) + (select count(*) from begun), (select count(*) from given))`

const ifUnknown = 'on conflict do nothing'
const storeText = `with ${storeParts(ifUnknown)} ${check}`
// To look for known points is a third of the time of storing new ones.
const storeNewText = `with ${storeParts('')} ${check}`
// Apart: most batches leave the health as it is, and each part of a statement is prepared for each run.
// The row of the device is locked before that of its newest values, as a check-in that reports the battery does it.
const storeWithHealthText = `with ${healthParts}, ${storeParts(ifUnknown, 'and (select count(*) from judged) >= 0')} ${check}`

export type NewMetrics = {
  owner: Owner
  points: readonly Point[]
  /** Each point is newer than the newest value of its metric, so none is stored already unless another batch came first. */
  areNew: boolean
  /** All newest values of the device, if some of them have changed, and the row that they replace. */
  latest: readonly LatestMetric[] | null
  before: LatestRow | null
}

/** The metrics of a row if they differ from those that it has: new ones come last. */
const toChangedMetrics = (latest: readonly LatestMetric[], before: LatestRow | null) => {
  const known = before?.metrics ?? []
  const isSame = latest.length === known.length && latest.every(({ unit }, n) => unit === known[n]?.[1])
  return isSame ? null : JSON.stringify(latest.map(({ name, unit }) => [name, unit]))
}
const toReading = ({ at, value, level, since, easedAt }: LatestMetric) =>
  level === 'healthy' ? [at, value] : [at, value, level, since, easedAt]

const toParameters = (batches: readonly NewMetrics[]) => {
  const { texts, numberOf } = createDictionary()
  const points: Numbers[] = batches.flatMap(({ points: of }, n) =>
    of.map(({ name, tsMs, value }) => [n + 1, numberOf(name), tsMs, value]),
  )
  return [
    batches.map(({ owner }) => owner.projectId),
    batches.map(({ owner }) => owner.deviceId),
    batches.map(({ before }) => before?.revision ?? null),
    batches.map(({ latest, before }) => latest && toChangedMetrics(latest, before)),
    batches.map(({ latest }) => latest && JSON.stringify(latest.map(toReading))),
    texts(),
    ...[0, 1, 2, 3].map((column) => numbersLiteral(points.map((row) => row[column] ?? null))),
  ]
}

/**
 * Inserts points, queues the new ones for the roll-up, and replaces the newest values: one statement for any number of them, of any
 * number of devices. A row of newest values that has changed since it was read makes it fail as a conflict of transactions: another
 * batch of a device came first.
 */
export const insertMetrics = async (tx: Tx, batches: readonly NewMetrics[]): Promise<void> => {
  // Statements of several processes lock the rows of the same devices in the same order.
  const ordered = batches.toSorted((a, b) => (a.owner.deviceId < b.owner.deviceId ? -1 : 1))
  // Of several only: if they fail by a known point, each of them is stored alone.
  const areNew = batches.length > 1 && batches.every((batch) => batch.areNew)
  const [name, text] = areNew ? ['store_metrics_with_new_points', storeNewText] : ['store_metrics', storeText]
  await runPrepared(tx, name, text, toParameters(ordered))
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
    ...toParameters([batch]),
    batch.owner.deviceId,
    healthStatus,
    JSON.stringify(healthReasons),
    was,
    now.toISOString(),
    pollS,
  ])
}
