import { and, eq, isNull, ne, type SQL } from 'drizzle-orm'
import { sessions, signInCodes, signIns, signInSteps } from '../schema/people'
import type { Tx } from '../../core/database/tx'

/** Ends sign-ins at the sign-in host, and with them the authorization codes that could still be exchanged for a session. */
export const endSignIns = async (tx: Tx, mine: SQL | undefined, now: Date): Promise<void> => {
  const ended = await tx
    .update(signIns)
    .set({ endedAt: now })
    .where(and(mine, isNull(signIns.endedAt)))
    .returning({ id: signIns.id })
  for (const { id } of ended) await tx.delete(signInCodes).where(and(eq(signInCodes.signInId, id), isNull(signInCodes.usedAt)))
}

/** Ends a person's sessions of the console and the sign-ins from which new ones could be created. `kept` stays. */
export const endSessions = async (
  tx: Tx,
  userId: string,
  now: Date,
  kept?: { sessionId: string; signInId: string | null },
): Promise<number> => {
  const origin = kept?.signInId
  // The sign-ins first: this waits for a concurrent exchange of a code, whose session is then ended below.
  await endSignIns(tx, and(eq(signIns.userId, userId), origin ? ne(signIns.id, origin) : undefined), now)
  // They were started with the old password, or are no longer trusted.
  await tx.delete(signInSteps).where(eq(signInSteps.userId, userId))
  const mine = and(eq(sessions.userId, userId), isNull(sessions.endedAt), kept && ne(sessions.id, kept.sessionId))
  const ended = await tx.update(sessions).set({ endedAt: now }).where(mine).returning({ id: sessions.id })
  return ended.length
}
