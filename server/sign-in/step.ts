import { secondsAfter } from '../core/days'
import { lifetimes } from '../core/lifetimes'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { deleteExpiredSteps, findStep, insertStep, type Step } from '../accounts/sessions/sign-in-steps.repository'
import type { IdentityProof } from '../accounts/identities/repository'
import type { Tx } from '../core/database/tx'
import type { Deps } from '../core/deps'
import { createSecret, hashOf } from '../core/tokens/token'
import { cookieOf, setCookie } from './cookies'

/**
 * Records that this browser has sent the correct password, or the proof of the identity provider. It allows only the question for
 * the second factor.
 */
export const beginStep = async (
  tx: Tx,
  reply: FastifyReply,
  { clock, config }: Deps,
  userId: string,
  identity: IdentityProof | null = null,
): Promise<void> => {
  const secret = createSecret()
  const now = clock()
  await deleteExpiredSteps(tx, now)
  await insertStep(tx, { tokenHash: hashOf(secret), userId, identity, expiresAt: secondsAfter(now, lifetimes.signInStepS) })
  setCookie(reply, config, 'step', secret, lifetimes.signInStepS)
}

/** The user whose second factor is still missing in this browser. */
export const stepOf = async ({ db, clock, config }: Deps, request: FastifyRequest): Promise<Step | undefined> => {
  const secret = cookieOf(request, config, 'step')
  if (secret === undefined) return undefined
  return findStep(db, hashOf(secret), clock())
}
