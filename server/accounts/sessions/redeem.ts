import { and, eq, gt, isNull } from 'drizzle-orm'
import { signInCodes, signIns } from '../schema/people'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'
import { hashOf } from '../../core/tokens/token'
import { challengeOf } from './repository'

/** `reused`: the code was used before, and the session created with it must end. */
export type Redeemed =
  | { outcome: 'redeemed'; userId: string; signInId: string | null }
  | { outcome: 'reused'; sessionId: string | null }

/** Locked until the session is stored: a concurrent end of the sign-in waits and then ends the session too. */
const isSignedIn = async (tx: Tx, signInId: string | null, now: Date): Promise<boolean> => {
  const live = and(eq(signIns.id, signInId ?? ''), isNull(signIns.endedAt), gt(signIns.expiresAt, now))
  return (await tx.select({ id: signIns.id }).from(signIns).where(live).for('update')).length === 1
}

/**
 * Redeems an authorization code, once, within a minute, with its verifier. The row is locked: of two concurrent calls one
 * succeeds.
 */
export const redeem = async (tx: Tx, code: string, verifier: string, now: Date): Promise<Redeemed> => {
  const [found] = await tx
    .select()
    .from(signInCodes)
    .where(eq(signInCodes.codeHash, hashOf(code)))
    .for('update')
  if (!found) return refuse(400, 'unknown_code', { message: 'The code is not one of the sign-in host' })
  if (found.usedAt !== null) return { outcome: 'reused', sessionId: found.sessionId }
  if (now >= found.expiresAt) return refuse(400, 'code_expired', { message: 'The code is older than a minute' })
  if (challengeOf(verifier) !== found.challenge)
    return refuse(400, 'bad_verifier', { message: 'The verifier does not belong to the code' })
  if (!(await isSignedIn(tx, found.signInId, now)))
    return refuse(400, 'sign_in_ended', { message: 'The sign-in that gave this code has ended' })
  return { outcome: 'redeemed', userId: found.userId, signInId: found.signInId }
}

export const markUsed = (tx: Tx, code: string, sessionId: string, now: Date) =>
  tx
    .update(signInCodes)
    .set({ usedAt: now, sessionId })
    .where(eq(signInCodes.codeHash, hashOf(code)))
