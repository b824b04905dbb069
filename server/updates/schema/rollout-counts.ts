import { bigint, index, integer, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core'
import type { UpdateState } from '../../../contract/device/update-events'
import { rollouts } from './rollouts'

const n = () => bigint('n', { mode: 'number' }).notNull()
const counted = () => ({
  rolloutId: text('rollout_id').notNull(),
  wave: integer('wave').notNull(),
  state: text('state').$type<UpdateState>().notNull(),
  n: n(),
})

/** How many devices of each wave are in which state: `n` here, with the sum of its changes that are not added yet. */
export const rolloutCounts = pgTable('rollout_counts', counted(), (table) => [
  unique('rollout_counts_values').on(table.rolloutId, table.wave, table.state),
])

/** Triggers on rollout_devices add rows, so that no transaction waits for another one; a job adds them to the counts. */
export const rolloutCountChanges = pgTable('rollout_count_changes', counted(), (table) => [
  index('rollout_count_changes_rollout').on(table.rolloutId),
])

/**
 * The limits of a rollout are divided among its shards, so that as many offers as there are shards are made at a time: an offer
 * locks one shard, with the running updates `n` that were offered by it. A trigger on rollouts creates them.
 */
export const rolloutShards = pgTable(
  'rollout_shards',
  {
    rolloutId: text('rollout_id')
      .notNull()
      .references(() => rollouts.id, { onDelete: 'cascade' }),
    shard: integer('shard').notNull(),
    n: n().default(0),
  },
  (table) => [primaryKey({ columns: [table.rolloutId, table.shard] })],
)

/** Triggers on rollout_devices add rows here too; the next offer by the shard adds them to it. */
export const rolloutShardChanges = pgTable(
  'rollout_shard_changes',
  { rolloutId: text('rollout_id').notNull(), shard: integer('shard').notNull(), n: n() },
  (table) => [index('rollout_shard_changes_shard').on(table.rolloutId, table.shard)],
)
