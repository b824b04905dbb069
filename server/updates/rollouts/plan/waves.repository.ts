import { and, asc, eq, gt, gte, notInArray } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { rolloutWaves } from '../../schema/rollouts'
import type { RolloutRow } from '../rows/rollout-rows.repository'

export type WaveRow = typeof rolloutWaves.$inferSelect

export const findWave = async (tx: Tx, rolloutId: string, n: number): Promise<WaveRow | undefined> => {
  const [wave] = await tx
    .select()
    .from(rolloutWaves)
    .where(and(eq(rolloutWaves.rolloutId, rolloutId), eq(rolloutWaves.n, n)))
  return wave
}

export const findNextWave = async (tx: Tx, { id, currentWave }: RolloutRow): Promise<WaveRow | undefined> => {
  const [wave] = await tx
    .select()
    .from(rolloutWaves)
    .where(and(eq(rolloutWaves.rolloutId, id), gt(rolloutWaves.n, currentWave)))
    .orderBy(asc(rolloutWaves.n))
    .limit(1)
  return wave
}

export const listWaves = (tx: Tx, rolloutId: string): Promise<WaveRow[]> =>
  tx.select().from(rolloutWaves).where(eq(rolloutWaves.rolloutId, rolloutId)).orderBy(asc(rolloutWaves.n))

/** The current wave of a rollout and the later ones, in order. */
export const listWavesLeft = (tx: Tx, { id, currentWave }: RolloutRow): Promise<WaveRow[]> => {
  const left = and(eq(rolloutWaves.rolloutId, id), gte(rolloutWaves.n, currentWave))
  return tx.select().from(rolloutWaves).where(left).orderBy(asc(rolloutWaves.n))
}

export const updateWave = async (
  tx: Tx,
  { rolloutId, n }: Pick<WaveRow, 'rolloutId' | 'n'>,
  set: Partial<WaveRow>,
): Promise<void> => {
  await tx
    .update(rolloutWaves)
    .set(set)
    .where(and(eq(rolloutWaves.rolloutId, rolloutId), eq(rolloutWaves.n, n)))
}

/** Stops the waves that have neither passed nor failed. */
export const stopOpenWaves = async (tx: Tx, rolloutId: string): Promise<void> => {
  const open = and(eq(rolloutWaves.rolloutId, rolloutId), notInArray(rolloutWaves.state, ['passed', 'failed']))
  await tx.update(rolloutWaves).set({ state: 'stopped' }).where(open)
}
