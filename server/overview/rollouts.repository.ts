import { and, count, desc, eq, inArray, notInArray } from 'drizzle-orm'
import type { UpdateState } from '../../contract/device/update-events'
import { rolloutMoves } from '../../machines/rollout/rollout.machine'
import { rolloutDevices, rollouts, rolloutWaves } from '../updates/schema/rollouts'
import type { Tx } from '../core/database/tx'

export type RolloutRow = typeof rollouts.$inferSelect
export type WaveRow = typeof rolloutWaves.$inferSelect
export type StateCount = { rolloutId: string; state: UpdateState; n: number }

const shown = 20
const ended = rolloutMoves.withTag('ended')

/** The rollouts that have not ended, newest first. */
export const listOpenRollouts = (tx: Tx, projectId: string): Promise<RolloutRow[]> =>
  tx
    .select()
    .from(rollouts)
    .where(and(eq(rollouts.projectId, projectId), notInArray(rollouts.phase, ended)))
    .orderBy(desc(rollouts.createdAt), desc(rollouts.id))
    .limit(shown)

/** How many devices of each rollout are in which state. */
export const countDeviceStates = (tx: Tx, rolloutIds: readonly string[]): Promise<StateCount[]> => {
  const { rolloutId, state } = rolloutDevices
  return tx
    .select({ rolloutId, state, n: count() })
    .from(rolloutDevices)
    .where(inArray(rolloutId, [...rolloutIds]))
    .groupBy(rolloutId, state)
}

export const listWavesOfRollouts = (tx: Tx, rolloutIds: readonly string[]): Promise<WaveRow[]> =>
  tx
    .select()
    .from(rolloutWaves)
    .where(inArray(rolloutWaves.rolloutId, [...rolloutIds]))
