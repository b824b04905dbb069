import { and, count, eq, isNull } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { recoveryCodes } from '../../schema/people'

const unused = (userId: string) => and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))

export const countRecoveryCodes = async (tx: Tx, userId: string): Promise<number> => {
  const [left] = await tx.select({ n: count() }).from(recoveryCodes).where(unused(userId))
  return left?.n ?? 0
}

export const insertRecoveryCodes = async (tx: Tx, userId: string, hashes: readonly string[]): Promise<void> => {
  await tx.insert(recoveryCodes).values(hashes.map((codeHash) => ({ userId, codeHash })))
}

/** Marks a code as used; false if it is unknown or was used before. */
export const updateUsedRecoveryCode = async (tx: Tx, userId: string, codeHash: string, now: Date): Promise<boolean> => {
  const mine = and(unused(userId), eq(recoveryCodes.codeHash, codeHash))
  return (await tx.update(recoveryCodes).set({ usedAt: now }).where(mine).returning()).length === 1
}

export const deleteRecoveryCodes = async (tx: Tx, userId: string): Promise<void> => {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
}
