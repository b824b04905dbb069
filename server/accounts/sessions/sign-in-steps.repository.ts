import { and, eq, gt, lte } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { type IdentityProof, signInSteps, users } from '../schema/people'
import type { UserRow } from '../users/repository'

export type SignInStepRow = typeof signInSteps.$inferSelect
/** `identity`: the proof of the identity provider, if the first factor was not the password. */
export type Step = { tokenHash: string; user: UserRow; identity: IdentityProof | null }

export const findStep = async (tx: Tx, tokenHash: string, now: Date): Promise<Step | undefined> => {
  const [found] = await tx
    .select({ tokenHash: signInSteps.tokenHash, user: users, identity: signInSteps.identity })
    .from(signInSteps)
    .innerJoin(users, eq(users.id, signInSteps.userId))
    .where(and(eq(signInSteps.tokenHash, tokenHash), gt(signInSteps.expiresAt, now)))
  return found
}

const only = ({ tokenHash }: Pick<SignInStepRow, 'tokenHash'>) => eq(signInSteps.tokenHash, tokenHash)

/** Locks the step: of concurrent requests one has it until its transaction ends; the others find it deleted. */
export const lockStep = async (tx: Tx, step: Step): Promise<boolean> =>
  (await tx.select().from(signInSteps).where(only(step)).for('update')).length === 1

export const insertStep = async (tx: Tx, row: SignInStepRow): Promise<void> => {
  await tx.insert(signInSteps).values(row)
}

export const deleteStep = async (tx: Tx, step: Step): Promise<void> => {
  await tx.delete(signInSteps).where(only(step))
}

export const deleteStepsOfUser = async (tx: Tx, userId: string): Promise<void> => {
  await tx.delete(signInSteps).where(eq(signInSteps.userId, userId))
}

export const deleteExpiredSteps = async (tx: Tx, now: Date): Promise<void> => {
  await tx.delete(signInSteps).where(lte(signInSteps.expiresAt, now))
}
