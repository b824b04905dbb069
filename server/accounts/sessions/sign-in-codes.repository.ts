import { eq, lte } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { signInCodes } from '../schema/people'

export type SignInCodeRow = typeof signInCodes.$inferSelect

export const findSignInCode = async (tx: Tx, codeHash: string): Promise<SignInCodeRow | undefined> => {
  const [code] = await tx.select().from(signInCodes).where(eq(signInCodes.codeHash, codeHash))
  return code
}

export const lockSignInCode = async (tx: Tx, codeHash: string): Promise<SignInCodeRow | undefined> => {
  const [code] = await tx.select().from(signInCodes).where(eq(signInCodes.codeHash, codeHash)).for('update')
  return code
}

export const insertSignInCode = async (tx: Tx, row: Omit<SignInCodeRow, 'usedAt' | 'sessionId'>): Promise<void> => {
  await tx.insert(signInCodes).values(row)
}

/** Marks a code as used for a session. */
export const updateUsedCode = async (tx: Tx, codeHash: string, sessionId: string, now: Date): Promise<void> => {
  await tx.update(signInCodes).set({ usedAt: now, sessionId }).where(eq(signInCodes.codeHash, codeHash))
}

export const deleteExpiredCodes = async (tx: Tx, before: Date): Promise<void> => {
  await tx.delete(signInCodes).where(lte(signInCodes.expiresAt, before))
}
