import { and, count, eq, inArray, sql } from 'drizzle-orm'
import type { UpdateState } from '../../../contract/device/update-events'
import type { RolloutCounts } from '../../../contract/rollouts'
import { rolloutDevices, rolloutWaves } from '../schema/rollouts'
import { textList } from '../../core/database/text-list'
import type { Tx } from '../../core/database/tx'
import { statesOf, updateGroupOf } from '../../fleet/devices/update-group'

/** `left`: skipped or cancelled, so no gate counts it. */
export type Tally = RolloutCounts & { left: number }
/** `setAside`: it failed before a person resumed the halted wave, so the gate of the wave ignores it. */
export type Counted = { rolloutId: string; wave: number; state: UpdateState; setAside: boolean; n: number }

export const noTally: Tally = { targeted: 0, succeeded: 0, failed: 0, running: 0, waiting: 0, left: 0 }

const column = { waiting: 'waiting', in_progress: 'running', succeeded: 'succeeded', failed: 'failed', none: 'left' } as const

export const tally = (rows: readonly Counted[]): Tally => {
  const sums = { ...noTally }
  for (const { state, n } of rows) {
    sums.targeted += n
    sums[column[updateGroupOf(state)]] += n
  }
  return sums
}

const setAside = sql<boolean>`coalesce(
  ${rolloutDevices.state} in ${textList(statesOf('failed'))} and ${rolloutDevices.since} <= ${rolloutWaves.countsFrom}, false)`

/** How many devices are in which state, by rollout and wave. */
export const countStates = async (tx: Tx, rolloutIds: readonly string[]): Promise<Counted[]> =>
  rolloutIds.length === 0
    ? []
    : tx
        .select({
          rolloutId: rolloutDevices.rolloutId,
          wave: rolloutDevices.wave,
          state: rolloutDevices.state,
          setAside,
          n: count(),
        })
        .from(rolloutDevices)
        .leftJoin(
          rolloutWaves,
          and(eq(rolloutWaves.rolloutId, rolloutDevices.rolloutId), eq(rolloutWaves.n, rolloutDevices.wave)),
        )
        .where(inArray(rolloutDevices.rolloutId, [...rolloutIds]))
        .groupBy(rolloutDevices.rolloutId, rolloutDevices.wave, rolloutDevices.state, setAside)

export const activeStates = statesOf('in_progress')

/** Devices that hold a slot of this rollout. */
export const countActive = async (tx: Tx, rolloutId: string): Promise<number> => {
  const where = and(eq(rolloutDevices.rolloutId, rolloutId), inArray(rolloutDevices.state, activeStates))
  const [row] = await tx.select({ n: count() }).from(rolloutDevices).where(where)
  return row?.n ?? 0
}
