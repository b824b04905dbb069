import { and, desc, eq, exists, gt, inArray, isNull, lt, ne, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { ListIssuedTokens } from '../../core/http/bad-tokens'
import { nextId } from '../../core/ids'
import { inBatches } from '../../core/database/in-batches'
import type { Tx } from '../../core/database/tx'
import { createToken, hashOf } from '../../core/tokens/token'
import { members, organizations } from '../schema/organizations'
import { sessions, users } from '../schema/people'

export type SessionRow = typeof sessions.$inferSelect

/** The person of a session that has not ended. */
export const findSessionOwner = async (tx: Tx, id: string): Promise<{ ownerId: string } | undefined> => {
  const open = and(eq(sessions.id, id), isNull(sessions.endedAt))
  const [found] = await tx.select({ ownerId: sessions.userId }).from(sessions).where(open)
  return found
}

// For a member of several organizations the shortest limit counts.
const strictest = sql<number | null>`(
  select min((${organizations.settings}->>'session_idle_s')::int) from ${organizations}
  join ${members} on ${members.organizationId} = ${organizations.id} where ${members.userId} = ${users.id}
)`

/** The session of a token that has not ended, with its user and the shortest idle limit of their organizations. */
export const findSessionOfToken = async (tx: Tx, tokenHash: string) => {
  const [found] = await tx
    .select({ session: sessions, user: users, strictest })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, tokenHash), isNull(sessions.endedAt)))
  return found
}

/** Whether the session was not ended; idle time does not count. */
export const isSessionOpen = async (tx: Tx, id: string): Promise<boolean> => {
  const live = and(eq(sessions.id, id), isNull(sessions.endedAt))
  const [found] = await tx.select({ id: sessions.id }).from(sessions).where(live)
  return found !== undefined
}

/** The tokens of all sessions of this time on that have neither ended nor expired. */
export const listIssuedSessionTokens: ListIssuedTokens = (tx, since, now) =>
  tx
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(and(isNull(sessions.endedAt), gt(sessions.createdAt, since), gt(sessions.expiresAt, now)))

/** A person's live sessions: not ended, not past either limit. */
export const listLiveSessions = (tx: Tx, userId: string, now: Date, idleS: number): Promise<SessionRow[]> =>
  tx
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, userId),
        isNull(sessions.endedAt),
        gt(sessions.expiresAt, now),
        gt(sessions.lastUsedAt, new Date(now.getTime() - idleS * 1000)),
      ),
    )
    .orderBy(desc(sessions.createdAt))

type NewSession = { userId: string; signInId: string | null; now: Date; absoluteS: number; ip: string; userAgent: string | null }

/** Inserts a new session. Only this result contains its token. */
export const insertSession = async (tx: Tx, { userId, signInId, now, absoluteS, ip, userAgent }: NewSession) => {
  const token = createToken('ses')
  const expiresAt = new Date(now.getTime() + absoluteS * 1000)
  const id = nextId(now)
  const times = { createdAt: now, lastUsedAt: now, expiresAt }
  await tx.insert(sessions).values({ id, userId, signInId, tokenHash: hashOf(token), ...times, ip, userAgent })
  return { id, token, expiresAt }
}

export const updateLastUse = async (tx: Tx, id: string, now: Date): Promise<void> => {
  await tx.update(sessions).set({ lastUsedAt: now }).where(eq(sessions.id, id))
}

/** Undefined if the session had ended before. */
export const endSession = async (tx: Tx, id: string, now: Date): Promise<SessionRow | undefined> => {
  const [session] = await tx
    .update(sessions)
    .set({ endedAt: now })
    .where(and(eq(sessions.id, id), isNull(sessions.endedAt)))
    .returning()
  return session
}

/** Ends the sessions that were created from a sign-in. */
export const endSessionsOfSignIn = async (tx: Tx, signInId: string, now: Date): Promise<void> => {
  await tx
    .update(sessions)
    .set({ endedAt: now })
    .where(and(eq(sessions.signInId, signInId), isNull(sessions.endedAt)))
}

/** Ends all sessions of a person but the one with the id `kept`; how many. */
export const endSessionsOfUser = async (tx: Tx, userId: string, now: Date, kept?: string): Promise<number> => {
  const mine = and(eq(sessions.userId, userId), isNull(sessions.endedAt), kept === undefined ? undefined : ne(sessions.id, kept))
  const ended = await tx.update(sessions).set({ endedAt: now }).where(mine).returning({ id: sessions.id })
  return ended.length
}

/** Deletes the sessions that had expired before a time, without the last one that each person has used: it says when they were there. */
export const deleteSessionsExpiredBefore = (tx: Tx, time: Date): Promise<void> => {
  const used = alias(sessions, 'used')
  const isLater = sql`(${used.lastUsedAt}, ${used.id}) > (${sessions.lastUsedAt}, ${sessions.id})`
  const later = tx
    .select({ one: sql`1` })
    .from(used)
    .where(and(eq(used.userId, sessions.userId), isLater))
  const expired = and(lt(sessions.expiresAt, time), exists(later))
  return inBatches((most) =>
    tx.delete(sessions).where(inArray(sessions.id, tx.select({ id: sessions.id }).from(sessions).where(expired).limit(most))),
  )
}
