import type { RolloutRow } from '../rows/rollout-rows.repository'
import type { Shard } from './counts.repository'
import type { Load } from '../decide/decision-facts'

type Limited = Pick<RolloutRow, 'maxConcurrent' | 'startRatePerMin'>

/** As many as the trigger rollouts_make_shards creates. */
const most = 8
// So many starts a minute take a small part of the time of one shard, and limits that are not divided are used to the last slot.
const startsOfShard = 1000

/** How many shards a rollout uses: each has at least one slot and one start a minute. */
export const shardCount = ({ maxConcurrent, startRatePerMin }: Limited): number =>
  Math.max(1, Math.min(most, maxConcurrent, startRatePerMin === null ? most : Math.ceil(startRatePerMin / startsOfShard)))

/** The part of a limit that belongs to a shard; those of all shards add up to it. */
const partOf = (limit: number, shard: number, count: number) => Math.floor(limit / count) + (shard < limit % count ? 1 : 0)

/** The load of a shard, with its parts of the limits. */
export const loadOfShard = (rollout: Limited, { shard, active, started }: Shard): Load => {
  const count = shardCount(rollout)
  const { maxConcurrent, startRatePerMin } = rollout
  return {
    activeUpdates: active,
    startedLastMinute: started,
    maxConcurrent: partOf(maxConcurrent, shard, count),
    ratePerMinute: startRatePerMin === null ? null : partOf(startRatePerMin, shard, count),
  }
}

/** How many offers a shard can make now. */
const roomOf = ({ activeUpdates, startedLastMinute, maxConcurrent, ratePerMinute }: Load) =>
  Math.min(maxConcurrent - activeUpdates, ratePerMinute === null ? Infinity : ratePerMinute - startedLastMinute)

/** The shards in the order in which to try them: those with more room first. */
export const byRoom = (rollout: Limited, shards: readonly Shard[]): Shard[] =>
  shards.toSorted((a, b) => roomOf(loadOfShard(rollout, b)) - roomOf(loadOfShard(rollout, a)))
