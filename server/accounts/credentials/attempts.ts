import { createHash } from 'node:crypto'
import { and, count, eq, gt, lte, min, sql } from 'drizzle-orm'
import { nextId } from '../../core/ids'
import { signInFailures } from '../../core/database/schema/plumbing'
import type { Deps } from '../../core/deps'
import { count as countRequest } from '../../core/http/rates'
import { networkOf } from '../../core/http/network'
import { refuse } from '../../core/http/refuse'

const WINDOW_MS = 15 * 60_000

const pairOf = (email: string, ip: string) =>
  createHash('sha256')
    .update(`${email.toLowerCase()}\0${networkOf(ip)}`)
    .digest('hex')

/** Limits sign-in attempts per minute from one address. */
export const limitAddress = async ({ db, clock, config }: Deps, ip: string): Promise<void> => {
  const used = await countRequest(db, `sign-in:${networkOf(ip)}`, clock())
  if (used > config.limits.signInsPerMinute) refuse(429, 'too_many_requests', { retryAfterS: 60 })
}

/**
 * Records an attempt of this pair of account and address before the password is checked, so that concurrent attempts all count;
 * 429 when five have failed in 15 minutes. Never by account alone: otherwise anyone could lock an account (T-12). The returned
 * function clears the pair's failures after a correct password.
 */
export const recordSignInAttempt = async ({ db, clock, config }: Deps, email: string, ip: string) => {
  const pair = pairOf(email, ip)
  const now = clock()
  const since = new Date(now.getTime() - WINDOW_MS)
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${pair}, 1))`)
    await tx.delete(signInFailures).where(lte(signInFailures.failedAt, since))
    const recent = and(eq(signInFailures.pair, pair), gt(signInFailures.failedAt, since))
    const [failed] = await tx
      .select({ n: count(), first: min(signInFailures.failedAt) })
      .from(signInFailures)
      .where(recent)
    if ((failed?.n ?? 0) >= config.limits.signInFailures) {
      const waits = (failed?.first?.getTime() ?? now.getTime()) + WINDOW_MS - now.getTime()
      refuse(429, 'too_many_requests', { retryAfterS: Math.ceil(waits / 1000) })
    }
    await tx.insert(signInFailures).values({ id: nextId(now), pair, failedAt: now })
  })
  return { succeeded: async () => void (await db.delete(signInFailures).where(eq(signInFailures.pair, pair))) }
}
