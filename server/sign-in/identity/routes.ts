import type { FastifyReply, FastifyRequest } from 'fastify'
import { findIdentity, findIdentityOfUser, type IdentityProof } from '../../accounts/identities/repository'
import {
  deleteIdentityRequest,
  findIdentityRequest,
  insertIdentityLink,
  insertIdentityRequest,
} from '../../accounts/identities/requests.repository'
import { limitAddress } from '../../accounts/credentials/attempts'
import { findUser, findUserByEmail, type UserRow } from '../../accounts/users/repository'
import { recordUserAudit } from '../../accounts/users/user-audit'
import { secondsAfter } from '../../core/days'
import { lifetimes } from '../../core/lifetimes'
import { createSecret, hashOf } from '../../core/tokens/token'
import { transact } from '../../core/http/database-errors'
import { type AuthorizationRequest, findAuthorizationRequest, queryOf } from '../authorization'
import { cookieOf, setCookie } from '../cookies'
import type { Fields } from '../forms'
import type { SignInHost } from '../host'
import { beginStep } from '../step'
import { createUser, enterWithIdentity } from './enter'
import { linkRoutes } from './link'
import { logoutRoutes } from './logout'
import { readProof, requireAddress } from './proof'
import { createProvider, type Provider } from './provider'
import { IdentityRefusal } from './refusals'

type Back = { state?: string }

/** Sign-in with the identity provider: to it, and back from it. */
export const identityRoutes = (host: SignInHost): void => {
  const { deps } = host
  const { config } = deps
  if (config.identityProvider === undefined) return
  const provider = createProvider(deps, config.identityProvider)
  flowRoutes(host, provider)
  linkRoutes(host, provider)
  logoutRoutes(host, provider)
}

const flowRoutes = ({ app, deps }: SignInHost, provider: Provider): void => {
  const { db, config, clock } = deps

  app.get<{ Querystring: Fields }>('/signin/oidc', async (request, reply) => {
    const asked = findAuthorizationRequest(deps, request.query)
    // Another site must not sign a browser in: there the sign-in page asks first.
    const { 'sec-fetch-site': site = 'none' } = request.headers
    if (site !== 'none' && site !== 'same-origin') return reply.redirect(`/signin${queryOf(asked)}`, 303)
    await limitAddress(deps, request.ip)
    const way = { state: createSecret(), nonce: createSecret(), verifier: createSecret() }
    const goal = await provider.authorizationUrl(way).catch((error: unknown) => refuseWith(error, asked))
    const browser = cookieOf(request, config, 'identity') ?? createSecret()
    const { nonce, verifier } = way
    const expiresAt = secondsAfter(clock(), lifetimes.identityRequestS)
    const row = { stateHash: hashOf(way.state), browserHash: hashOf(browser), nonce, verifier, asked: { ...asked }, expiresAt }
    await insertIdentityRequest(db, row)
    setCookie(reply, config, 'identity', browser, lifetimes.identityRequestS)
    return reply.redirect(goal, 303)
  })

  /** Each request is used once, and only by the browser that began it. */
  const takeRequest = async (request: FastifyRequest, state: string) => {
    const found = await findIdentityRequest(db, hashOf(state))
    if (!found || clock() >= found.expiresAt) throw new IdentityRefusal('state_unknown')
    if (hashOf(cookieOf(request, config, 'identity') ?? '') !== found.browserHash) throw new IdentityRefusal('state_foreign')
    if (!(await deleteIdentityRequest(db, found.stateHash))) throw new IdentityRefusal('state_unknown')
    return found
  }

  type Known = { user: UserRow; proof: IdentityProof; asked: AuthorizationRequest | undefined }
  const enter = async (request: FastifyRequest, reply: FastifyReply, { user, proof, asked }: Known) => {
    if (user.mfaEnabled) {
      await beginStep(db, reply, deps, user.id, proof)
      return reply.redirect(`/signin/code${queryOf(asked)}`, 303)
    }
    const { goal } = await transact(db, (tx) => enterWithIdentity(tx, deps, request, reply, { asked, proof, user }))
    return reply.redirect(goal, 303)
  }

  /** For a person whose address has an account that is not connected. */
  const askForProof = async (reply: FastifyReply, { user, proof, asked }: Known) => {
    if (await findIdentityOfUser(db, user.id, proof.issuer)) throw new IdentityRefusal('identity_conflict')
    const token = createSecret()
    const expiresAt = secondsAfter(clock(), lifetimes.identityRequestS)
    await insertIdentityLink(db, { tokenHash: hashOf(token), userId: user.id, proof, expiresAt })
    setCookie(reply, config, 'link', token, lifetimes.identityRequestS)
    return reply.redirect(`/signin/oidc/link${queryOf(asked)}`, 303)
  }

  const arrive = async (
    request: FastifyRequest,
    reply: FastifyReply,
    read: ReturnType<typeof readProof>,
    asked: AuthorizationRequest | undefined,
  ) => {
    const { proof } = read
    const known = await findIdentity(db, proof)
    if (!known || provider.domains.length > 0) requireAddress(read, provider)
    const connected = known && (await findUser(db, known.userId))
    if (connected) return enter(request, reply, { user: connected, proof, asked })
    const owner = await findUserByEmail(db, proof.email)
    if (owner) return askForProof(reply, { user: owner, proof, asked })
    const goal = await transact(db, async (tx) => {
      const user = await createUser(tx, deps, request, proof)
      if (!user) return undefined
      return (await enterWithIdentity(tx, deps, request, reply, { asked, proof, user, isNew: true })).goal
    })
    // The address got an account at this moment: the next try asks for its proof.
    return reply.redirect(goal ?? `/signin${queryOf(asked)}`, 303)
  }

  /** The owner of an address sees that somebody was refused with it. */
  const recordRefusal = async (request: FastifyRequest, proof: IdentityProof, error: unknown) => {
    if (!(error instanceof IdentityRefusal)) return
    const known = await findIdentity(db, proof)
    const user = known ? await findUser(db, known.userId) : await findUserByEmail(db, proof.email)
    if (!user) return
    const about = { credential: { kind: 'identity', id: known?.id ?? null }, reason: error.code }
    await transact(db, (tx) =>
      recordUserAudit(tx, request, { action: 'session.fail', result: 'failure', user, proven: false, now: clock(), about }),
    )
  }

  app.get<{ Querystring: Back }>('/signin/oidc/callback', async (request, reply) => {
    const { state } = request.query
    if (typeof state !== 'string' || !/^[\w-]{43}$/.test(state)) throw new IdentityRefusal('state_unknown')
    const { asked: stored, nonce, verifier } = await takeRequest(request, state)
    const asked = findAuthorizationRequest(deps, stored)
    const search = new URL(request.url, config.urls['sign-in']).search
    const claims = await provider.claimsOf(search, { state, nonce, verifier }).catch((error: unknown) => refuseWith(error, asked))
    const read = readProof(claims, provider)
    try {
      return await arrive(request, reply, read, asked)
    } catch (error) {
      await recordRefusal(request, read.proof, error)
      return refuseWith(error, asked)
    }
  })
}

/** Throws the error on; a refusal with the request, so that its page leads back to it. */
const refuseWith = (error: unknown, asked: AuthorizationRequest | undefined): never => {
  if (error instanceof IdentityRefusal && asked) error.asked = asked
  throw error
}
