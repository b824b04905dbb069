import { asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { RolloutPhase } from '../../../../machines/rollout/rollout.machine'
import { rowUpdate } from '../../../core/database/row'
import type { Tx } from '../../../core/database/tx'
import { rollouts } from '../../schema/rollouts'

export type RolloutRow = typeof rollouts.$inferSelect

export const ofProject = (projectId: string): SQL => eq(rollouts.projectId, projectId)
export const ofRelease = (releaseId: string): SQL => eq(rollouts.releaseId, releaseId)

export const findRollout = async (tx: Tx, id: string): Promise<RolloutRow | undefined> => {
  const [row] = await tx.select().from(rollouts).where(eq(rollouts.id, id))
  return row
}

export const findRolloutProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [row] = await tx.select({ projectId: rollouts.projectId }).from(rollouts).where(eq(rollouts.id, id))
  return row
}

/** The ids of the rollouts in these phases, oldest first. */
const lateDays = 7

/** A condition: the tick has something to do, besides what follows from changes that the counts record. */
export const areRolloutsUnderway = sql`exists (
  select from ${rollouts} where ${rollouts.endedAt} is null
  or (${rollouts.phase} = 'expired' and ${rollouts.updatedAt} > now() - make_interval(days => ${sql.raw(String(lateDays))}))
)`

export const listRolloutsInPhases = (tx: Tx, phases: readonly RolloutPhase[]): Promise<{ id: string }[]> =>
  tx
    .select({ id: rollouts.id })
    .from(rollouts)
    .where(inArray(rollouts.phase, [...phases]))
    .orderBy(asc(rollouts.id))

/**
 * The row of a rollout, locked for a change: ticks and people change it one after another. Rows that refer to it can be inserted
 * meanwhile: an offer that a change waits for may have to.
 */
export const lockRollout = async (tx: Tx, id: string): Promise<RolloutRow | undefined> => {
  const [row] = await tx.select().from(rollouts).where(eq(rollouts.id, id)).for('no key update')
  return row
}

/** Undefined if another transaction holds the lock. */
export const lockRolloutIfFree = async (tx: Tx, id: string): Promise<RolloutRow | undefined> => {
  const [row] = await tx.select().from(rollouts).where(eq(rollouts.id, id)).for('no key update', { skipLocked: true })
  return row
}

/** Undefined if there is no such rollout. */
export const updateRollout = async (
  tx: Tx,
  id: string,
  set: Partial<Omit<RolloutRow, 'id' | 'revision'>>,
  now: Date,
): Promise<RolloutRow | undefined> => {
  const [after] = await tx
    .update(rollouts)
    .set({ ...rowUpdate(now), ...set })
    .where(eq(rollouts.id, id))
    .returning()
  return after
}
