import { eq } from 'drizzle-orm'
import { rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { rollouts } from '../schema/rollouts'

export type RolloutRow = typeof rollouts.$inferSelect

export const findRollout = async (tx: Tx, id: string): Promise<RolloutRow | undefined> => {
  const [row] = await tx.select().from(rollouts).where(eq(rollouts.id, id))
  return row
}

/** The row of a rollout, locked for a change: offers, ticks and people change it one after another. */
export const lockRollout = async (tx: Tx, id: string): Promise<RolloutRow | undefined> => {
  const [row] = await tx.select().from(rollouts).where(eq(rollouts.id, id)).for('update')
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
