import { and, eq, isNull, ne, type SQL } from 'drizzle-orm'
import { sessions, signInCodes, signIns, signInSteps } from '../schema/people'
import type { Tx } from '../../core/database/tx'

/** Ends sign-ins of the sign-in host, and with them the codes that could still buy a session. */
export const endSignIns = async (tx: Tx, mine: SQL | undefined, now: Date): Promise<void> => {
  const ended = await tx
    .update(signIns)
    .set({ endedAt: now })
    .where(and(mine, isNull(signIns.endedAt)))
    .returning({ id: signIns.id })
  for (const { id } of ended) await tx.delete(signInCodes).where(and(eq(signInCodes.signInId, id), isNull(signInCodes.usedAt)))
}

/** Ends what a person has open: sessions of the console, and the sign-ins new ones could be born from. `kept` stays. */
export const endSessions = async (
  tx: Tx,
  userId: string,
  now: Date,
  kept?: { sessionId: string; signInId: string | null },
): Promise<number> => {
  const origin = kept?.signInId
  // The sign-ins first: whoever redeems a code of one meanwhile is waited for, and the session is among those that end below.
  await endSignIns(tx, and(eq(signIns.userId, userId), origin ? ne(signIns.id, origin) : undefined), now)
  // The password that began them was the old one, or is not trusted any more.
  await tx.delete(signInSteps).where(eq(signInSteps.userId, userId))
  const mine = and(eq(sessions.userId, userId), isNull(sessions.endedAt), kept && ne(sessions.id, kept.sessionId))
  const ended = await tx.update(sessions).set({ endedAt: now }).where(mine).returning({ id: sessions.id })
  return ended.length
}
