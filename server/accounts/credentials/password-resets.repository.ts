import { and, eq, gt, isNotNull, isNull, lte, or } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { passwordResets, users } from '../schema/people'
import type { UserRow } from '../users/repository'

export type PasswordResetRow = typeof passwordResets.$inferSelect

/** The user of an open reset link. */
export const findResetUser = async (tx: Tx, tokenHash: string, now: Date): Promise<UserRow | undefined> => {
  const open = and(eq(passwordResets.tokenHash, tokenHash), isNull(passwordResets.usedAt), gt(passwordResets.expiresAt, now))
  const [found] = await tx
    .select({ user: users })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(open)
  return found?.user
}

export const insertReset = async (tx: Tx, row: Omit<PasswordResetRow, 'usedAt'>): Promise<void> => {
  await tx.insert(passwordResets).values(row)
}

/** Marks a reset link as used; undefined if it was used before. */
export const updateUsedReset = async (tx: Tx, tokenHash: string, now: Date): Promise<PasswordResetRow | undefined> => {
  const unused = and(eq(passwordResets.tokenHash, tokenHash), isNull(passwordResets.usedAt))
  const [used] = await tx.update(passwordResets).set({ usedAt: now }).where(unused).returning()
  return used
}

/** Deletes a person's open reset links; their hashes. */
export const deleteOpenResets = async (tx: Tx, userId: string): Promise<string[]> => {
  const open = and(eq(passwordResets.userId, userId), isNull(passwordResets.usedAt))
  const ended = await tx.delete(passwordResets).where(open).returning({ tokenHash: passwordResets.tokenHash })
  return ended.map(({ tokenHash }) => tokenHash)
}

/** Deletes the links that were used or have expired. */
export const deleteEndedResets = async (tx: Tx, now: Date): Promise<void> => {
  await tx.delete(passwordResets).where(or(isNotNull(passwordResets.usedAt), lte(passwordResets.expiresAt, now)))
}
