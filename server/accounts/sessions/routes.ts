import type { FastifyRequest } from 'fastify'
import { endOtherSessions } from '../../../contract/accounts/account'
import { deleteSession, listSessions } from '../../../contract/accounts/open-sessions'
import * as contract from '../../../contract/accounts/sessions'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { formatTimestamp } from '../../core/timestamps'
import { hashOf } from '../../core/tokens/token'
import { transact } from '../../core/http/database-errors'
import { findUser, updateLastSignIn } from '../users/repository'
import { endSessions } from './end-sessions'
import { recordUserAudit } from '../users/user-audit'
import { redeem } from './redeem'
import { endSession, insertSession, listLiveSessions } from './repository'
import { updateUsedCode } from './sign-in-codes.repository'
import { endSignIn } from './sign-ins.repository'

const target = (id: string) => ({ kind: 'session', id, name: null })

/** Ends the session whose code was used twice, and records it in the owner's audit log. */
const endSeenSession = async (tx: Tx, request: FastifyRequest, sessionId: string, now: Date): Promise<void> => {
  const ended = await endSession(tx, sessionId, now)
  const user = ended && (await findUser(tx, ended.userId))
  if (!user) return
  const about = { target: target(sessionId), credential: { kind: 'none', id: null }, reason: 'its sign-in code was used twice' }
  await recordUserAudit(tx, request, { action: 'session.delete', user, proven: false, now, about })
}

export const sessionRoutes = (api: Api): void => {
  const { limits } = api.deps.config

  route(api, contract.createSession, async ({ tx, body, now, request, audit, deps, afterRefusal }) => {
    const found = await redeem(tx, body.code, body.code_verifier, now)
    if (found.outcome === 'reused') {
      const { sessionId } = found
      // Someone else has seen the code.
      if (sessionId !== null) afterRefusal(() => transact(deps.db, (own) => endSeenSession(own, request, sessionId, now)))
      request.log.warn({ request_id: request.id, session_id: found.sessionId }, 'a sign-in code was used twice')
      return refuse(400, 'code_used', { message: 'The code was used before; its session has been ended' })
    }
    const { userId, signInId } = found
    const user = await updateLastSignIn(tx, userId, now)
    const userAgent = request.headers['user-agent']?.slice(0, 256) ?? null
    const made = { userId, signInId, now, absoluteS: limits.sessionAbsoluteS, ip: request.ip, userAgent }
    const session = await insertSession(tx, made)
    await updateUsedCode(tx, hashOf(body.code), session.id, now)
    audit({ target: target(session.id), userId, by: user })
    return { session_token: session.token, expires_at: formatTimestamp(session.expiresAt), idle_timeout_s: limits.sessionIdleS }
  })

  route(api, listSessions, async ({ tx, user, session: { id: currentId }, now }) => {
    const live = await listLiveSessions(tx, user.id, now, limits.sessionIdleS)
    return {
      sessions: live.map((session) => ({
        id: session.id,
        current: session.id === currentId,
        created_at: formatTimestamp(session.createdAt),
        last_used_at: formatTimestamp(session.lastUsedAt),
        ip: session.ip,
        user_agent: session.userAgent,
        expires_at: formatTimestamp(session.expiresAt),
      })),
    }
  })

  route(api, contract.deleteCurrentSession, async ({ tx, actor, now, audit, skipAudit }) => {
    if (actor.kind !== 'user' || actor.credential.kind !== 'session') return skipAudit()
    const { id, signInId } = actor.credential
    await endSession(tx, id, now)
    // Signing out of the console also signs out of the sign-in host.
    if (signInId !== null) await endSignIn(tx, signInId, now)
    audit({ target: target(id) })
  })

  route(api, endOtherSessions, async ({ tx, user, session, now, audit, skipAudit }) => {
    const ended = await endSessions(tx, user.id, now, session)
    if (ended === 0) skipAudit()
    else audit({ target: { kind: 'user', id: user.id, name: user.name }, reason: 'all other sessions' })
    return { ended }
  })

  route(api, deleteSession, async ({ tx, params, now, audit }) => {
    const session = await endSession(tx, params.sessionId, now)
    // Otherwise that browser could create a new session with one click.
    if (session?.signInId) await endSignIn(tx, session.signInId, now)
    audit({ target: target(params.sessionId) })
  })
}
