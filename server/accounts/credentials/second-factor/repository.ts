import { eq } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { secondFactors } from '../../schema/people'

export type SecondFactorRow = typeof secondFactors.$inferSelect

export const findSecondFactor = async (tx: Tx, userId: string): Promise<SecondFactorRow | undefined> => {
  const [factor] = await tx.select().from(secondFactors).where(eq(secondFactors.userId, userId))
  return factor
}

export const lockSecondFactor = async (tx: Tx, userId: string): Promise<SecondFactorRow | undefined> => {
  const [factor] = await tx.select().from(secondFactors).where(eq(secondFactors.userId, userId)).for('update')
  return factor
}

/** A set-up that was begun before is replaced. */
export const upsertSecondFactor = async (tx: Tx, { userId, ...set }: Omit<SecondFactorRow, 'enabledAt'>): Promise<void> => {
  await tx
    .insert(secondFactors)
    .values({ userId, ...set })
    .onConflictDoUpdate({ target: secondFactors.userId, set })
}

export const updateSecondFactor = async (
  tx: Tx,
  userId: string,
  changes: Partial<Pick<SecondFactorRow, 'enabledAt' | 'lastStep'>>,
): Promise<void> => {
  await tx.update(secondFactors).set(changes).where(eq(secondFactors.userId, userId))
}

export const deleteSecondFactor = async (tx: Tx, userId: string): Promise<void> => {
  await tx.delete(secondFactors).where(eq(secondFactors.userId, userId))
}
