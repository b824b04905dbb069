import { lifetimes } from '../../core/lifetimes'
import type { FindSessionUser } from '../../core/http/actors'
import { hashOf } from '../../core/tokens/token'
import { findSessionOfToken, updateLastUse } from './repository'

/** The live session of a token, by the server's clock: idle limit and absolute limit (T-10), looked up at each request (T-11). */
export const findSessionUser: FindSessionUser = async ({ db, clock, config }, token) => {
  const found = await findSessionOfToken(db, hashOf(token))
  if (!found) return null
  const { session, user } = found
  const idleS = Math.min(config.limits.sessionIdleS, found.strictest ?? Infinity)
  const now = clock()
  const idle = now.getTime() - session.lastUsedAt.getTime()
  if (now >= session.expiresAt || idle >= idleS * 1000) return null
  if (idle >= lifetimes.sessionTouchS * 1000) await updateLastUse(db, session.id, now)
  return {
    kind: 'user',
    id: user.id,
    email: user.email,
    name: user.fullName,
    plan: user.pricingPlan,
    secondFactor: user.mfaEnabled,
    credential: { kind: 'session', id: session.id, signInId: session.signInId },
  }
}
