import { type SQL, sql } from 'drizzle-orm'
import type { UpdateState } from '../../../contract/device/update-events'
import type { Tx } from '../../core/database/tx'
import { rolloutCountChanges, rolloutCounts } from '../schema/rollout-counts'

/** The kept counts of rollouts: sum `n` over rows of equal values. */
export const countsOfRollouts = (ids: readonly string[]): SQL => {
  const values = sql.raw('rollout_id, wave, state')
  const named = sql`rollout_id = any(${sql.param([...ids])}::text[])`
  return sql`(
    select ${values}, n from ${rolloutCounts} where ${named}
    union all select ${values}, n from ${rolloutCountChanges} where ${named}
  )`
}

export type StateCount = { rolloutId: string; state: UpdateState; n: number }

/** The number of devices of each state, for each rollout. */
export const countDeviceStates = async (tx: Tx, rolloutIds: readonly string[]): Promise<StateCount[]> => {
  if (rolloutIds.length === 0) return []
  const { rows } = await tx.execute<StateCount>(sql`
    select rollout_id as "rolloutId", state, sum(n)::int as n from ${countsOfRollouts(rolloutIds)} as counted
    group by rollout_id, state having sum(n) <> 0`)
  return rows
}

/** The devices of a rollout in one wave and state. */
export type Part = { wave: number; state: UpdateState; n: number }

/** The waves and states that a rollout has devices in. */
export const countParts = async (tx: Tx, rolloutId: string): Promise<Part[]> => {
  const { rows } = await tx.execute<Part>(sql`
    select wave, state, sum(n)::int as n from ${countsOfRollouts([rolloutId])} as counted
    group by wave, state having sum(n) <> 0 order by wave, state`)
  return rows
}
