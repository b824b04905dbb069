import { lifetimes } from '../../core/lifetimes'
import { createHash } from 'node:crypto'
import { nextId } from '../../core/ids'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { count as countRequest } from '../../core/http/rates'
import { networkOf } from '../../core/http/network'
import { refuse } from '../../core/http/refuse'
import { transact } from '../../core/http/database-errors'
import { countFailures, deleteFailuresOf, deleteFailuresUntil, insertFailure, lockPair } from './attempts.repository'

const windowMs = lifetimes.attemptWindowS * 1000

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
  const since = new Date(now.getTime() - windowMs)
  await transact(db, async (tx) => {
    await lockPair(tx, pair)
    await deleteFailuresUntil(tx, since)
    const failed = await countFailures(tx, pair, since)
    if (failed.count >= config.limits.signInFailures) {
      const waits = (failed.first?.getTime() ?? now.getTime()) + windowMs - now.getTime()
      refuse(429, 'too_many_requests', { retryAfterS: Math.ceil(waits / 1000) })
    }
    await insertFailure(tx, { id: nextId(now), pair, failedAt: now })
  })
  return { succeeded: () => deleteFailuresOf(db, pair) }
}

/** Ends the wait of a pair whose person has proved the account in another way. */
export const clearSignInFailures = (tx: Tx, email: string, ip: string): Promise<void> => deleteFailuresOf(tx, pairOf(email, ip))
