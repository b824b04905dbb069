import { createHash } from 'node:crypto'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'
import { hashOf } from '../../core/tokens/token'
import { findSignInCode, lockSignInCode } from './sign-in-codes.repository'
import { lockLiveSignIn } from './sign-ins.repository'

/** `reused`: the code was used before, and the session created with it must end. */
export type Redeemed =
  | { outcome: 'redeemed'; userId: string; signInId: string | null }
  | { outcome: 'reused'; sessionId: string | null }

/** PKCE, method S256: the challenge is the hash of the verifier. */
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/**
 * Redeems an authorization code, once, within a minute, with its verifier. The row is locked: of two concurrent calls one
 * succeeds.
 */
export const redeem = async (tx: Tx, code: string, verifier: string, now: Date): Promise<Redeemed> => {
  const signInId = (await findSignInCode(tx, hashOf(code)))?.signInId ?? ''
  // The sign-in before its code, as its end locks them, until the session is stored: a concurrent end waits and then ends the
  // session too.
  const isLive = await lockLiveSignIn(tx, signInId, now)
  const found = await lockSignInCode(tx, hashOf(code))
  if (!found) return refuse(400, 'unknown_code', { message: 'The code was not issued by the sign-in host' })
  if (found.usedAt !== null) return { outcome: 'reused', sessionId: found.sessionId }
  if (now >= found.expiresAt) return refuse(400, 'code_expired', { message: 'The code is older than a minute' })
  if (challengeOf(verifier) !== found.challenge)
    return refuse(400, 'bad_verifier', { message: 'The verifier does not match the code' })
  if (!isLive) return refuse(400, 'sign_in_ended', { message: 'The sign-in that issued this code has ended' })
  return { outcome: 'redeemed', userId: found.userId, signInId: found.signInId }
}
