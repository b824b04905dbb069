import { and, desc, eq, inArray, notInArray } from 'drizzle-orm'
import { shownRollouts } from '../../contract/overview/monitor'
import { rolloutMoves } from '../../machines/rollout/rollout.machine'
import { retryablePhases } from '../updates/rollouts/steps/steps'
import { rollouts, rolloutWaves } from '../updates/schema/rollouts'
import type { Tx } from '../core/database/tx'

export type RolloutRow = typeof rollouts.$inferSelect
export type WaveRow = typeof rolloutWaves.$inferSelect

const ended = rolloutMoves.withTag('ended')

/** The rollouts that have not ended, newest first. */
export const listOpenRollouts = (tx: Tx, projectId: string): Promise<RolloutRow[]> =>
  tx
    .select()
    .from(rollouts)
    .where(and(eq(rollouts.projectId, projectId), notInArray(rollouts.phase, ended)))
    .orderBy(desc(rollouts.createdAt), desc(rollouts.id))
    .limit(shownRollouts)

/** Those of some rollouts whose failed devices can be queued again. */
export const listRetryableRollouts = async (tx: Tx, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await tx
    .select({ id: rollouts.id })
    .from(rollouts)
    .where(and(inArray(rollouts.id, [...new Set(ids)]), inArray(rollouts.phase, [...retryablePhases])))
  return new Set(rows.map(({ id }) => id))
}

export const listWavesOfRollouts = (tx: Tx, rolloutIds: readonly string[]): Promise<WaveRow[]> =>
  tx
    .select()
    .from(rolloutWaves)
    .where(inArray(rolloutWaves.rolloutId, [...rolloutIds]))
