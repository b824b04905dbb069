import { and, eq, gt, lte } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { identityLinks, identityRequests, type IdentityProof, users } from '../schema/people'
import type { UserRow } from '../users/repository'

export type IdentityRequestRow = typeof identityRequests.$inferSelect
export type IdentityLink = { tokenHash: string; user: UserRow; proof: IdentityProof; codeHash: string | null }

export const insertIdentityRequest = async (tx: Tx, row: IdentityRequestRow): Promise<void> => {
  await tx.insert(identityRequests).values(row)
}

export const findIdentityRequest = async (tx: Tx, stateHash: string): Promise<IdentityRequestRow | undefined> => {
  const [row] = await tx.select().from(identityRequests).where(eq(identityRequests.stateHash, stateHash))
  return row
}

/** False if it was used before. */
export const deleteIdentityRequest = async (tx: Tx, stateHash: string): Promise<boolean> =>
  (await tx.delete(identityRequests).where(eq(identityRequests.stateHash, stateHash)).returning()).length === 1

export const insertIdentityLink = async (tx: Tx, row: typeof identityLinks.$inferInsert): Promise<void> => {
  await tx.insert(identityLinks).values(row)
}

export const findIdentityLink = async (tx: Tx, tokenHash: string, now: Date): Promise<IdentityLink | undefined> => {
  const [row] = await tx
    .select({ tokenHash: identityLinks.tokenHash, user: users, proof: identityLinks.proof, codeHash: identityLinks.codeHash })
    .from(identityLinks)
    .innerJoin(users, eq(users.id, identityLinks.userId))
    .where(and(eq(identityLinks.tokenHash, tokenHash), gt(identityLinks.expiresAt, now)))
  return row
}

export const updateLinkCode = async (tx: Tx, tokenHash: string, codeHash: string): Promise<void> => {
  await tx.update(identityLinks).set({ codeHash }).where(eq(identityLinks.tokenHash, tokenHash))
}

/** False if it was used before. */
export const deleteIdentityLink = async (tx: Tx, tokenHash: string): Promise<boolean> =>
  (await tx.delete(identityLinks).where(eq(identityLinks.tokenHash, tokenHash)).returning()).length === 1

/** Deletes the requests and links that have expired. */
export const deleteExpiredIdentityRequests = async (tx: Tx, now: Date): Promise<void> => {
  await tx.delete(identityRequests).where(lte(identityRequests.expiresAt, now))
  await tx.delete(identityLinks).where(lte(identityLinks.expiresAt, now))
}
