import { and, eq, inArray, sql } from 'drizzle-orm'
import { textList } from '../../../core/database/text-list'
import type { Tx } from '../../../core/database/tx'
import { statesOf } from '../../../fleet/devices/state/update-group'
import { rolloutCountChanges, rolloutCounts, rolloutShardChanges, rolloutShards } from '../../schema/rollout-counts'
import { rolloutReviews, rolloutDevices, rollouts, rolloutWaves } from '../../schema/rollouts'
import { countsOfRollouts } from '../../releases/rollout-counts.repository'
import { activeStates, type Counted } from './counts'

const values = sql.raw('rollout_id, wave, state')
const failed = textList(statesOf('failed'))
const active = textList(activeStates)

/**
 * How many devices are in which state, by rollout and wave, from the kept counts. Devices that are set aside are counted
 * themselves: only a wave that was resumed after failures has any.
 */
export const countStates = async (tx: Tx, rolloutIds: readonly string[]): Promise<Counted[]> => {
  if (rolloutIds.length === 0) return []
  const { rows } = await tx.execute<Counted>(sql`
    select rollout_id as "rolloutId", wave, state, set_aside as "setAside", sum(n)::int as n from (
      select ${values}, false as set_aside, n from ${countsOfRollouts(rolloutIds)} as kept
      union all
      select d.rollout_id, d.wave, d.state, moved.set_aside, moved.n
      from ${rolloutWaves} w
      inner join ${rolloutDevices} d on d.rollout_id = w.rollout_id and d.wave = w.n and d.state in ${failed} and d.since <= w.counts_from,
        (values (true, 1), (false, -1)) as moved (set_aside, n)
      where w.rollout_id = any(${sql.param([...rolloutIds])}::text[]) and w.counts_from is not null
    ) as counted
    group by 1, 2, 3, 4 having sum(n) <> 0`)
  return rows
}

/** A condition: something changed that is not added yet. */
export const areCountsChanged = sql`(exists (select from ${rolloutCountChanges}) or exists (select from ${rolloutShardChanges}))`

/** Adds the changes to the counts. Writers do not wait for this, and readers see the same sums before and after. */
export const addUpCounts = async (tx: Tx): Promise<void> => {
  await tx.execute(sql`
    with taken as (delete from ${rolloutCountChanges} returning *)
    insert into ${rolloutCounts} (${values}, n)
    select ${values}, sum(n) from taken where exists (select from ${rollouts} where id = rollout_id)
    group by ${values} having sum(n) <> 0 order by ${values}
    on conflict on constraint rollout_counts_values do update set n = ${rolloutCounts}.n + excluded.n`)
}

/** The same for shards that no offer holds. */
export const addUpShards = async (tx: Tx): Promise<void> => {
  await tx.execute(sql`
    with free as materialized (
      select rollout_id, shard from ${rolloutShards} s
      where exists (select from ${rolloutShardChanges} c where c.rollout_id = s.rollout_id and c.shard = s.shard)
      for no key update skip locked
    ), taken as (
      delete from ${rolloutShardChanges} c using free where c.rollout_id = free.rollout_id and c.shard = free.shard returning c.*
    )
    update ${rolloutShards} s set n = s.n + added.n
    from (select rollout_id, shard, sum(n) as n from taken group by rollout_id, shard) as added
    where s.rollout_id = added.rollout_id and s.shard = added.shard`)
}

/** Removes counts of zero, those of deleted rollouts, and the reviews of rollouts that no device joins any more. */
export const deleteEmptyCounts = async (tx: Tx): Promise<void> => {
  const gone = sql`not exists (select from ${rollouts} where id = rollout_id)`
  await tx.execute(sql`delete from ${rolloutCounts} where n = 0 or ${gone}`)
  await tx.execute(sql`delete from ${rolloutShardChanges} where ${gone}`)
  await tx.execute(sql`
    delete from ${rolloutReviews} where not exists (select from ${rollouts} where id = rollout_id and ended_at is null)`)
}

const countedStates = sql`select ${values}, count(*) as n from ${rolloutDevices} group by ${values}`
const countedShards = sql`
  select rollout_id, shard, count(*) as n from ${rolloutDevices} where state in ${active} group by rollout_id, shard`

type Count = Record<string, unknown> & { n: number }

/** What the kept counts miss; empty if they are exact. */
export const findWrongCounts = async (tx: Tx): Promise<Count[]> => {
  const known = sql`where exists (select from ${rollouts} where id = rollout_id)`
  const states = await tx.execute<Count>(sql`
    select ${values}, sum(n)::bigint as n from (
      ${countedStates}
      union all select ${values}, -n from ${rolloutCounts} ${known}
      union all select ${values}, -n from ${rolloutCountChanges} ${known}
    ) as compared group by ${values} having sum(n) <> 0`)
  const shards = await tx.execute<Count>(sql`
    select rollout_id, shard, sum(n)::bigint as n from (
      ${countedShards}
      union all select rollout_id, shard, -n from ${rolloutShards}
      union all select rollout_id, shard, -n from ${rolloutShardChanges} ${known}
    ) as compared group by rollout_id, shard having sum(n) <> 0`)
  return [...states.rows, ...shards.rows]
}

/** Counts everything anew. Offers and reports wait until the transaction ends, and then add their own rows. */
export const rebuildCounts = async (tx: Tx): Promise<void> => {
  // Exclusive: also waits for offers that have only locked their shard.
  await tx.execute(sql`lock table ${rolloutShards} in exclusive mode`)
  await tx.execute(sql`
    lock table ${rolloutCounts}, ${rolloutCountChanges}, ${rolloutShardChanges} in share row exclusive mode`)
  for (const table of [rolloutCounts, rolloutCountChanges, rolloutShardChanges]) await tx.delete(table)
  await tx.execute(sql`insert into ${rolloutCounts} (${values}, n) ${countedStates}`)
  await tx.execute(sql`
    update ${rolloutShards} s set n = coalesce(
      (select count(*) from ${rolloutDevices} d where d.rollout_id = s.rollout_id and d.shard = s.shard and d.state in ${active}), 0)`)
}

/** `active`: running updates that were offered by the shard; `started`: how many of its offers are newer than the time, if one is given. */
export type Shard = { shard: number; active: number; started: number }

const startedSince = (since: Date | null) =>
  since === null
    ? sql`0`
    : sql`(select count(*)::int from ${rolloutDevices} d where d.rollout_id = s.rollout_id and d.shard = s.shard
        and d.offered_at > ${since.toISOString()}::timestamptz)`

/** The first shards of a rollout, without a lock. */
export const listShards = async (tx: Tx, rolloutId: string, count: number, since: Date | null): Promise<Shard[]> => {
  const { rows } = await tx.execute<Shard>(sql`
    select s.shard, ${startedSince(since)} as started,
      (s.n + coalesce((select sum(c.n) from ${rolloutShardChanges} c where c.rollout_id = s.rollout_id and c.shard = s.shard), 0))::int
        as active
    from ${rolloutShards} s where s.rollout_id = ${rolloutId} and s.shard < ${count} order by s.shard`)
  return rows
}

/** Locks the first of these shards that nobody has locked; if all are locked, waits for the first of them. */
export const lockShard = async (tx: Tx, rolloutId: string, shards: readonly number[]): Promise<number | undefined> => {
  const { rows } = await tx.execute<{ shard: number }>(sql`
    select shard from ${rolloutShards} where rollout_id = ${rolloutId} and shard = any(${sql.param([...shards])}::int[])
    order by array_position(${sql.param([...shards])}::int[], shard) limit 1 for no key update skip locked`)
  if (rows[0]) return rows[0].shard
  const one = and(eq(rolloutShards.rolloutId, rolloutId), inArray(rolloutShards.shard, shards.slice(0, 1)))
  const [waited] = await tx.select({ shard: rolloutShards.shard }).from(rolloutShards).where(one).for('no key update')
  return waited?.shard
}

/** Waits for the offers that are being made, and keeps others from being made until the transaction ends. */
export const lockAllShards = async (tx: Tx, rolloutId: string): Promise<void> => {
  await tx
    .select({ shard: rolloutShards.shard })
    .from(rolloutShards)
    .where(eq(rolloutShards.rolloutId, rolloutId))
    .orderBy(rolloutShards.shard)
    .for('no key update')
}

/** A locked shard, exactly: adds its changes to it, which only the holder of its lock does. */
export const readLockedShard = async (tx: Tx, rolloutId: string, shard: number, since: Date | null): Promise<Shard> => {
  const { rows } = await tx.execute<Shard>(sql`
    with taken as (
      delete from ${rolloutShardChanges} where rollout_id = ${rolloutId} and shard = ${shard} returning n
    )
    update ${rolloutShards} s set n = s.n + coalesce((select sum(n) from taken), 0)
    where s.rollout_id = ${rolloutId} and s.shard = ${shard}
    returning s.shard, s.n::int as active, ${startedSince(since)} as started`)
  const [read] = rows
  if (!read) throw new Error(`The rollout ${rolloutId} has no shard ${shard}.`)
  return read
}

/** Running updates of a rollout: each holds a slot. */
export const countActive = async (tx: Tx, rolloutId: string): Promise<number> => {
  const { rows } = await tx.execute<{ n: number }>(sql`
    select coalesce(sum(n), 0)::int as n from ${countsOfRollouts([rolloutId])} as counted where state in ${active}`)
  return rows[0]?.n ?? 0
}
