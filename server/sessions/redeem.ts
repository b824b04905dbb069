import { eq } from 'drizzle-orm'
import { signInCodes } from '../database/schema/people'
import type { Tx } from '../database/tx'
import { refuse } from '../http/refuse'
import { hashOf } from '../tokens/token'
import { challengeOf } from './repository'

/** `reused`: the code was used before, and the session born from it then must end. */
export type Redeemed =
  | { outcome: 'redeemed'; userId: string; signInId: string | null }
  | { outcome: 'reused'; sessionId: string | null }

/** The code of the sign-in host, once, within a minute, by whoever holds the verifier. The row is locked: of two, one wins. */
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
  return { outcome: 'redeemed', userId: found.userId, signInId: found.signInId }
}

export const markUsed = (tx: Tx, code: string, sessionId: string, now: Date) =>
  tx
    .update(signInCodes)
    .set({ usedAt: now, sessionId })
    .where(eq(signInCodes.codeHash, hashOf(code)))
