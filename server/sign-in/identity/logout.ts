import type { JWTPayload } from 'jose'
import { endSignInsOf } from '../../accounts/identities/end-sign-ins'
import { findIdentity, type IdentityRow, insertLogoutToken, listIdentitiesOfSession } from '../../accounts/identities/repository'
import { deleteStepsOfUser } from '../../accounts/sessions/sign-in-steps.repository'
import { findUser } from '../../accounts/users/repository'
import { recordUserAudit } from '../../accounts/users/user-audit'
import type { FastifyRequest } from 'fastify'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'
import { lifetimes } from '../../core/lifetimes'
import { hashOf } from '../../core/tokens/token'
import { transact } from '../../core/http/database-errors'
import { fieldsOf } from '../forms'
import type { SignInHost } from '../host'
import type { Provider } from './provider'
import { IdentityRefusal } from './refusals'

const event = 'http://schemas.openid.net/event/backchannel-logout'

type Logout = { issuer: string; subject: string | undefined; session: string | undefined; id: string }

/** OpenID Connect Back-Channel Logout 1.0, 2.6: what a valid signature does not say. */
const readLogout = ({ iss = '', sub, sid, jti = '', nonce, events }: JWTPayload): Logout => {
  if (nonce !== undefined) throw new IdentityRefusal('token_malformed', 'a logout token has no nonce')
  const isLogout = typeof events === 'object' && events !== null && event in events
  if (!isLogout) throw new IdentityRefusal('token_malformed', 'the token is no logout token')
  const session = typeof sid === 'string' && sid !== '' ? sid : undefined
  if (sub === undefined && session === undefined)
    throw new IdentityRefusal('token_malformed', 'it names no subject and no session')
  return { issuer: iss, subject: sub, session, id: jti }
}

/** Back-channel logout: the provider ends the sessions that it began. */
export const logoutRoutes = ({ app, deps }: SignInHost, provider: Provider): void => {
  const { db, clock } = deps

  const listEnding = async (tx: Tx, { issuer, subject, session }: Logout): Promise<IdentityRow[]> => {
    if (subject === undefined) return session === undefined ? [] : listIdentitiesOfSession(tx, issuer, session)
    const identity = await findIdentity(tx, { issuer, subject })
    return identity ? [identity] : []
  }

  const endAll = async (tx: Tx, request: FastifyRequest, identity: IdentityRow, session: string | undefined) => {
    const now = clock()
    const user = await findUser(tx, identity.userId)
    if (!user) return
    await deleteStepsOfUser(tx, user.id)
    for (const id of await endSignInsOf(tx, identity.id, now, { providerSession: session })) {
      const about = {
        target: { kind: 'sign_in', id, name: null },
        credential: { kind: 'identity', id: identity.id },
        reason: 'by the identity provider',
      }
      await recordUserAudit(tx, request, { action: 'session.delete', user, proven: false, now, about })
    }
  }

  app.post('/signin/oidc/logout', async (request, reply) => {
    try {
      const logout = readLogout(await provider.logoutClaimsOf(fieldsOf(request).logout_token ?? ''))
      await transact(db, async (tx) => {
        const expiresAt = secondsAfter(clock(), 2 * lifetimes.logoutTokenS)
        if (!(await insertLogoutToken(tx, hashOf(`${logout.issuer}\n${logout.id}`), expiresAt)))
          throw new IdentityRefusal('token_replayed')
        for (const identity of await listEnding(tx, logout)) await endAll(tx, request, identity, logout.session)
      })
      return reply.code(200).send()
    } catch (error) {
      if (!(error instanceof IdentityRefusal)) throw error
      request.log.warn({ request_id: request.id, code: error.code, reason: error.message }, 'a logout token was refused')
      const status = error.code === 'provider_unavailable' ? 503 : 400
      return reply.code(status).send({ error: 'invalid_request', error_description: error.code })
    }
  })
}
