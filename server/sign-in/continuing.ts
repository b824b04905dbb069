import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../accounts/sessions/sign-ins.repository'
import type { Tx } from '../core/database/tx'
import type { Config } from '../core/config'
import type { Deps } from '../core/deps'
import { secondsAfter } from '../core/days'
import { lifetimes } from '../core/lifetimes'
import { type AuthorizationRequest, redirectWithCode } from './authorization'
import { cookieOf, setCookie } from './cookies'

const continuingOf = (signInId: string) => createHash('sha256').update(`continue\0${signInId}`).digest('base64url')

/**
 * A person has just signed in or answered here and goes on to the console, which sends the browser back for a code. It gets one
 * without a second question: once, within a minute, of the same sign-in.
 */
export const allowContinuing = (reply: FastifyReply, config: Config, signInId: string): void =>
  setCookie(reply, config, 'continue', continuingOf(signInId), lifetimes.continuingS)

/** The redirect URL after signing in. Without a request of the console there will be one. */
export const redirectSignedIn = (
  tx: Tx,
  reply: FastifyReply,
  deps: Deps,
  asked: AuthorizationRequest | undefined,
  userId: string,
  signInId: string,
): Promise<string> => {
  if (!asked) allowContinuing(reply, deps.config, signInId)
  return redirectWithCode(tx, deps, asked, userId, signInId)
}

/** Whether the browser continues without a question; it may only once. */
export const useContinuing = (
  request: FastifyRequest,
  reply: FastifyReply,
  { config, clock }: Deps,
  signedIn: SignedIn,
): boolean => {
  const cookie = cookieOf(request, config, 'continue')
  if (cookie === undefined) return false
  setCookie(reply, config, 'continue', null)
  const { 'sec-fetch-dest': destination = 'document' } = request.headers
  const isRecent = clock() < secondsAfter(signedIn.lastUsedAt, lifetimes.continuingS)
  return destination === 'document' && isRecent && cookie === continuingOf(signedIn.signInId)
}
