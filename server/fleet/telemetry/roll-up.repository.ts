import { type SQL, sql } from 'drizzle-orm'
import { staleHours, staleMinutes } from '../schema/telemetry'
import { fleetMetrics, metricHours, metricPoints } from '../schema/telemetry.partitioned'
import type { Database } from '../../core/database/open'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'

type Behind = { project_id: string; at: string[] }

const marksAtOnce = 20_000
const graceS = 120

// Any number that is the same in every process: one rolls up at a time.
const lock = (tx: Tx) => tx.execute(sql`select pg_advisory_xact_lock(7331002)`)

const summary = sql`
  sum(c), sum(s), min(low), max(high), array_agg(bin order by bin), array_agg(c::int order by bin)`
const replace = sql`
  on conflict (project_id, name, step_s, at) do update set
    n = excluded.n, sum = excluded.sum, min = excluded.min, max = excluded.max, bins = excluded.bins, counts = excluded.counts`

/** Computes quarters of an hour from their minutes, for queries over a day. */
const rollQuarters = (tx: Tx, projectId: string, minutes: SQL) => {
  const rows = sql`
    from (select distinct date_bin('15 minutes', minute, 'epoch') as quarter from ${minutes} as minute) touched
    inner join ${fleetMetrics} m
      on m.project_id = ${projectId} and m.step_s = 60 and m.at >= quarter and m.at < quarter + interval '15 minutes'`
  return tx.execute(sql`
    insert into ${fleetMetrics} (project_id, name, step_s, at, n, sum, min, max, bins, counts)
    select ${projectId}, name, 900, quarter, whole.n, whole.sum, whole.min, whole.max, binned.bins, binned.counts
    from (
      select name, quarter, array_agg(bin order by bin) as bins, array_agg(c order by bin) as counts
      from (select m.name, quarter, bin, sum(c)::int as c ${rows}, unnest(m.bins, m.counts) as u(bin, c) group by 1, 2, 3) each
      group by name, quarter
    ) binned
    inner join (
      select m.name, quarter, sum(m.n) as n, sum(m.sum) as sum, min(m.min) as min, max(m.max) as max ${rows} group by 1, 2
    ) whole using (name, quarter) ${replace}`)
}

/** Computes the fleet's minutes again from the raw points. Points committed later left their own mark, so nothing is lost. */
const rollMinutes = async (tx: Tx): Promise<boolean> => {
  await lock(tx)
  const { rows } = await tx.execute<Behind>(sql`
    with taken as (
      delete from ${staleMinutes} where ctid = any (array(
        select ctid from ${staleMinutes}
        where project_id = (select project_id from ${staleMinutes} limit 1) limit ${marksAtOnce}
      )) returning project_id, at
    ) select project_id, array_agg(distinct at)::text[] as at from taken group by project_id`)
  const [behind] = rows
  if (!behind) return false
  const minutes = sql`unnest(${sql.param(behind.at)}::timestamptz[])`
  await tx.execute(sql`
    insert into ${fleetMetrics} (project_id, name, step_s, at, n, sum, min, max, bins, counts)
    select ${behind.project_id}, name, 60, minute, ${summary}
    from (
      select p.name, minute, sketch_bin(p.value) as bin, count(*) as c, sum(p.value) as s, min(p.value) as low, max(p.value) as high
      from ${minutes} as minute
      inner join ${metricPoints} p
        on p.project_id = ${behind.project_id} and p.at >= minute and p.at < minute + interval '1 minute'
      group by p.name, minute, bin
    ) binned group by name, minute ${replace}`)
  await rollQuarters(tx, behind.project_id, minutes)
  await tx.execute(sql`
    insert into ${staleHours} (project_id, at)
    select distinct ${behind.project_id}, date_trunc('hour', minute, 'UTC') from ${minutes} as minute
    on conflict do nothing`)
  return true
}

/** Computes one finished hour: of the fleet from its minutes, of each device from its points. */
const rollHour = async (tx: Tx, now: Date): Promise<boolean> => {
  await lock(tx)
  const over = secondsAfter(now, -3600 - graceS).toISOString()
  const { rows } = await tx.execute<{ project_id: string; at: string }>(sql`
    delete from ${staleHours} where ctid = (select ctid from ${staleHours} where at <= ${over}::timestamptz limit 1)
    returning project_id, at::text as at`)
  const [hour] = rows
  if (!hour) return false
  const inside = sql`project_id = ${hour.project_id} and at >= ${hour.at}::timestamptz and at < ${hour.at}::timestamptz + interval '1 hour'`
  await tx.execute(sql`
    insert into ${fleetMetrics} (project_id, name, step_s, at, n, sum, min, max, bins, counts)
    select ${hour.project_id}, binned.name, 3600, ${hour.at}::timestamptz, whole.n, whole.sum, whole.min, whole.max, binned.bins, binned.counts
    from (
      select name, array_agg(bin order by bin) as bins, array_agg(c order by bin) as counts
      from (
        select name, bin, sum(c)::int as c from ${fleetMetrics}, unnest(bins, counts) as u(bin, c)
        where ${inside} and step_s = 60 group by name, bin
      ) each group by name
    ) binned
    inner join (
      select name, sum(n) as n, sum(sum) as sum, min(min) as min, max(max) as max from ${fleetMetrics}
      where ${inside} and step_s = 60 group by name
    ) whole using (name) ${replace}`)
  await tx.execute(sql`
    insert into ${metricHours} (project_id, device_id, name, at, n, sum, min, max)
    select project_id, device_id, name, ${hour.at}::timestamptz, count(*), sum(value), min(value), max(value)
    from ${metricPoints} where ${inside} group by project_id, device_id, name
    on conflict (project_id, name, device_id, at) do update set
      n = excluded.n, sum = excluded.sum, min = excluded.min, max = excluded.max`)
  return true
}

/**
 * Brings the roll-ups up to date; to be run each minute. A step is one transaction of one project, so that a big fleet does not
 * delay others, and an interrupted run continues where it stopped.
 */
export const rollUp = async (db: Database, now: Date): Promise<void> => {
  while (await db.transaction(rollMinutes));
  while (await db.transaction((tx) => rollHour(tx, now)));
}
