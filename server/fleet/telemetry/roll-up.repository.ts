import { sql } from 'drizzle-orm'
import { devices, deviceTags } from '../schema/devices'
import { versionOf } from '../schema/device-values'
import { latestMetrics, metricBatches, staleHours } from '../schema/telemetry'
import { fleetMetrics, groupMetrics, metricHours, metricPoints } from '../schema/telemetry.partitioned'
import type { Database } from '../../core/database/open'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'

// A statement of a roll-up takes about a second at most, however large the fleet is.
const batchesAtOnce = 1000
const hoursAtOnce = 500
const graceS = 120

/** A condition. */
export const isRollUpDue = sql`(
  exists (select from ${metricBatches})
  or exists (select from ${staleHours} where ${staleHours.at} <= now() - make_interval(secs => ${sql.raw(String(3600 + graceS))}))
)`

// Any number that is the same in every process: one rolls up at a time.
const lock = (tx: Tx) => tx.execute(sql`select pg_advisory_xact_lock(7331002)`)

// Adds a row to the one that is stored for the same time: numbers, sums, extremes and the counts of a sketch.
const addToKnown = sql`do update set
  n = known.n + excluded.n, sum = known.sum + excluded.sum,
  min = least(known.min, excluded.min), max = greatest(known.max, excluded.max),
  (bins, counts) = (
    select array_agg(bin order by bin), array_agg(c order by bin) from (
      select bin, sum(c)::int as c from (
        select * from unnest(known.bins, known.counts) as old (bin, c)
        union all select * from unnest(excluded.bins, excluded.counts)
      ) both_of group by bin
    ) merged
  )`

/**
 * Devices of the same groups are added up before their points are counted in each of the groups. A point counts for the groups that
 * its device is in when it is rolled up, about a minute after it arrived.
 */
const groups = sql`
    grouped_devices as materialized (
      select id as device_id,
        array['all ', 'model ' || ${devices.hardwareModel}, 'release ' || coalesce(${versionOf(devices)}, '')] || coalesce(
          (select array_agg('tag ' || tag_id order by tag_id) from ${deviceTags} where ${deviceTags.deviceId} = ${devices.id}),
          array['tag ']
        ) as groups
      from ${devices} where ${devices.id} in (select device_id from taken)
    ),
    alike as (
      select project_id, name, groups, date_bin('5 minutes', at, 'epoch') as at, sketch_bin(value) as bin,
        count(*) as c, sum(value) as s, min(value) as low, max(value) as high
      from points inner join grouped_devices using (device_id) group by 1, 2, 3, 4, 5
    ),
    group_steps as (
      select project_id, name, split_part(one, ' ', 1) as kind, substr(one, strpos(one, ' ') + 1) as value, step_s,
        date_bin(make_interval(secs => step_s), at, 'epoch') as at, bin,
        sum(c) as c, sum(s) as s, min(low) as low, max(high) as high
      from alike, unnest(groups) as one, unnest(array[300, 3600]) as step_s group by 1, 2, 3, 4, 5, 6, 7
    ),
    added_to_groups as (
      insert into ${groupMetrics} as known (project_id, name, kind, value, step_s, at, n, sum, min, max, bins, counts)
      select project_id, name, kind, value, step_s, at, sum(c), sum(s), min(low), max(high),
        array_agg(bin order by bin), array_agg(c::int order by bin)
      from group_steps group by 1, 2, 3, 4, 5, 6
      on conflict (project_id, name, kind, step_s, value, at) ${addToKnown}
    )`

/**
 * Adds the next batches to the minutes, quarters and hours of the fleet and to the rows of its groups, and returns whether there
 * were any. A point is in one batch, and a batch is removed in the transaction that adds it: each point counts once, also after a
 * kill.
 */
const addBatches = async (tx: Tx): Promise<boolean> => {
  await lock(tx)
  const { rows } = await tx.execute(sql`
    with taken as (
      delete from ${metricBatches} where ctid = any (array(select ctid from ${metricBatches} limit ${batchesAtOnce})) returning *
    ),
    points as materialized (
      select project_id, device_id, name, at, value from taken, unnest(names, times, amounts) as point (name, at, value)
    ),
    marked as (
      insert into ${staleHours} (at, project_id, device_id)
      select distinct date_trunc('hour', at, 'UTC'), project_id, device_id from points
      on conflict do nothing
    ),
    minutes as (
      select project_id, name, date_bin('1 minute', at, 'epoch') as at, sketch_bin(value) as bin,
        count(*) as c, sum(value) as s, min(value) as low, max(value) as high
      from points group by 1, 2, 3, 4
    ),
    steps as (
      select project_id, name, step_s, date_bin(make_interval(secs => step_s), at, 'epoch') as at, bin,
        sum(c) as c, sum(s) as s, min(low) as low, max(high) as high
      from minutes, unnest(array[60, 900, 3600]) as step_s group by 1, 2, 3, 4, 5
    ),
    added as (
      insert into ${fleetMetrics} as known (project_id, name, step_s, at, n, sum, min, max, bins, counts)
      select project_id, name, step_s, at, sum(c), sum(s), min(low), max(high),
        array_agg(bin order by bin), array_agg(c::int order by bin)
      from steps group by 1, 2, 3, 4
      on conflict (project_id, name, step_s, at) ${addToKnown}
    ),
    ${groups}
    select from taken limit 1`)
  return rows.length > 0
}

/**
 * Computes the next hours of devices from their points, and returns whether there were any. A late point comes when older points
 * may be deleted already: the hour with more points stays.
 */
const computeHours = async (tx: Tx, now: Date): Promise<boolean> => {
  await lock(tx)
  const over = secondsAfter(now, -3600 - graceS).toISOString()
  const { rows } = await tx.execute(sql`
    with taken as materialized (
      delete from ${staleHours} where ctid = any (array(
        select ctid from ${staleHours} where at <= ${over}::timestamptz order by at limit ${hoursAtOnce}
      )) returning *
    ),
    computed as (
      insert into ${metricHours} as known (project_id, device_id, name, at, n, sum, min, max)
      select taken.project_id, taken.device_id, metric ->> 0, taken.at, hour.n, hour.sum, hour.min, hour.max
      from taken
      inner join ${latestMetrics} latest on latest.device_id = taken.device_id and latest.project_id = taken.project_id
      cross join jsonb_array_elements(latest.metrics) as metric
      cross join lateral (
        select count(*) as n, sum(value) as sum, min(value) as min, max(value) as max from ${metricPoints} point
        where point.project_id = taken.project_id and point.name = metric ->> 0 and point.device_id = taken.device_id
          and point.at >= taken.at and point.at < taken.at + interval '1 hour'
      ) hour
      where hour.n > 0
      on conflict (project_id, name, device_id, at) do update set
        n = excluded.n, sum = excluded.sum, min = excluded.min, max = excluded.max
      where excluded.n >= known.n
    )
    select from taken limit 1`)
  return rows.length > 0
}

/**
 * Brings the roll-ups up to date; to be run each minute. A step is one short transaction, so that an interrupted run continues
 * where it stopped.
 */
export const rollUp = async (db: Database, now: Date): Promise<void> => {
  while (await db.transaction(addBatches));
  while (await db.transaction((tx) => computeHours(tx, now)));
}
