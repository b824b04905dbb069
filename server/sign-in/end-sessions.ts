import { and, eq, isNull, ne } from 'drizzle-orm'
import { sessions, signIns, signInSteps } from '../database/schema/people'
import type { Tx } from '../database/tx'

/** Ends what a person has open: sessions of the console, and the sign-ins new ones could be born from. `kept` stays. */
export const endSessions = async (
  tx: Tx,
  userId: string,
  now: Date,
  kept?: { sessionId: string; signInId: string | null },
): Promise<number> => {
  const mine = and(eq(sessions.userId, userId), isNull(sessions.endedAt), kept && ne(sessions.id, kept.sessionId))
  const ended = await tx.update(sessions).set({ endedAt: now }).where(mine).returning({ id: sessions.id })
  // The password that began them was the old one, or is not trusted any more.
  await tx.delete(signInSteps).where(eq(signInSteps.userId, userId))
  const origin = kept?.signInId
  await tx
    .update(signIns)
    .set({ endedAt: now })
    .where(and(eq(signIns.userId, userId), isNull(signIns.endedAt), origin ? ne(signIns.id, origin) : undefined))
  return ended.length
}
