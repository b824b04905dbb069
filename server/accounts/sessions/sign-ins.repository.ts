import { and, eq, gt, inArray, isNull, lt, ne, notExists, type SQL } from 'drizzle-orm'
import { inBatches } from '../../core/database/in-batches'
import type { Tx } from '../../core/database/tx'
import { sessions, signInCodes, signIns, users } from '../schema/people'
import type { UserRow } from '../users/repository'

type SignInRow = typeof signIns.$inferSelect
export type SignedIn = { signInId: string; lastUsedAt: Date; user: UserRow }

/** The live sign-in of a token, with its user. */
export const findSignIn = async (tx: Tx, tokenHash: string, now: Date): Promise<SignedIn | undefined> => {
  const [found] = await tx
    .select({ signInId: signIns.id, lastUsedAt: signIns.lastUsedAt, user: users })
    .from(signIns)
    .innerJoin(users, eq(users.id, signIns.userId))
    .where(and(eq(signIns.tokenHash, tokenHash), isNull(signIns.endedAt), gt(signIns.expiresAt, now)))
  return found
}

/** Whether the sign-in is live; it is locked then. */
export const lockLiveSignIn = async (tx: Tx, id: string, now: Date): Promise<boolean> => {
  const live = and(eq(signIns.id, id), isNull(signIns.endedAt), gt(signIns.expiresAt, now))
  return (await tx.select({ id: signIns.id }).from(signIns).where(live).for('update')).length === 1
}

type NewSignIn = Omit<SignInRow, 'endedAt' | 'identityId' | 'providerSession'> & Partial<SignInRow>

export const insertSignIn = async (tx: Tx, row: NewSignIn): Promise<void> => {
  await tx.insert(signIns).values(row)
}

export const updateLastUse = async (tx: Tx, id: string, now: Date): Promise<void> => {
  await tx.update(signIns).set({ lastUsedAt: now }).where(eq(signIns.id, id))
}

/** Ends sign-ins at the sign-in host, and with them the authorization codes that could still be exchanged for a session. */
const end = async (tx: Tx, mine: SQL | undefined, now: Date): Promise<void> => {
  const ended = await tx
    .update(signIns)
    .set({ endedAt: now })
    .where(and(mine, isNull(signIns.endedAt)))
    .returning({ id: signIns.id })
  for (const { id } of ended) await tx.delete(signInCodes).where(and(eq(signInCodes.signInId, id), isNull(signInCodes.usedAt)))
}

export const endSignIn = (tx: Tx, id: string, now: Date): Promise<void> => end(tx, eq(signIns.id, id), now)

export const endSignInOfToken = (tx: Tx, tokenHash: string, now: Date): Promise<void> =>
  end(tx, eq(signIns.tokenHash, tokenHash), now)

/** Ends all sign-ins of a person but the one with the id `kept`. */
export const endSignInsOfUser = (tx: Tx, userId: string, now: Date, kept?: string | null): Promise<void> =>
  end(tx, and(eq(signIns.userId, userId), kept ? ne(signIns.id, kept) : undefined), now)

/** Deletes the sign-ins that had expired before a time and of whose sessions none is left: they would be deleted with it. */
export const deleteSignInsExpiredBefore = (tx: Tx, time: Date): Promise<void> => {
  const own = tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.signInId, signIns.id))
  const expired = and(lt(signIns.expiresAt, time), notExists(own))
  return inBatches((most) =>
    tx.delete(signIns).where(inArray(signIns.id, tx.select({ id: signIns.id }).from(signIns).where(expired).limit(most))),
  )
}
