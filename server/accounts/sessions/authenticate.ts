import { and, eq, isNull, sql } from 'drizzle-orm'
import type { SessionBearer } from '../../core/http/actors'
import { hashOf } from '../../core/tokens/token'
import { members, organizations } from '../schema/organizations'
import { sessions, users } from '../schema/people'

/** The last use of a session is written at most once in this time, in milliseconds. */
const TOUCH_MS = 60_000

// For a member of several organizations the shortest limit counts.
const strictest = sql<number | null>`(
  select min((${organizations.settings}->>'session_idle_s')::int) from ${organizations}
  join ${members} on ${members.organizationId} = ${organizations.id} where ${members.userId} = ${users.id}
)`

/** The live session of a token, by the server's clock: idle limit and absolute limit (T-10), looked up at each request (T-11). */
export const findSessionUser: SessionBearer = async ({ db, clock, config }, token) => {
  const [found] = await db
    .select({ session: sessions, user: users, strictest })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, hashOf(token)), isNull(sessions.endedAt)))
  if (!found) return null
  const { session, user } = found
  const idleS = Math.min(config.limits.sessionIdleS, found.strictest ?? Infinity)
  const now = clock()
  const idle = now.getTime() - session.lastUsedAt.getTime()
  if (now >= session.expiresAt || idle >= idleS * 1000) return null
  if (idle >= TOUCH_MS) await db.update(sessions).set({ lastUsedAt: now }).where(eq(sessions.id, session.id))
  return {
    kind: 'user',
    id: user.id,
    email: user.email,
    name: user.fullName,
    plan: user.pricingPlan,
    secondFactor: user.mfaEnabled,
    sessionId: session.id,
    signInId: session.signInId,
  }
}
