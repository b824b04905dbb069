import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuditEvent } from '../core/http/audit'
import { Refusal, refuse } from '../core/http/refuse'
import { hashOf } from '../core/tokens/token'
import { transact } from '../core/http/database-errors'
import { accept, decline, isFor } from '../accounts/invites/answer'
import { findInviteOfToken, type InviteWithTarget } from '../accounts/invites/repository'
import { stateOf } from '../accounts/invites/state'
import { type SignedIn, updateLastUse } from '../accounts/sessions/sign-ins.repository'
import { allowContinuing } from './continuing'
import { signedInOf } from './cookies'
import { checkForm, formToken } from './forms'
import { findAuthorizationRequest, queryOf } from './authorization'
import { show, type SignInHost } from './host'
import { findInvitedVisitor } from './invited-visitor'
import { answerPage, declinedPage, endedPage, fullPage, otherAccountPage, unknownInvitePage } from './invite-pages'
import { recordUserAudit } from '../accounts/users/user-audit'

type Token = { Params: { token: string } }

/** The console's URL of the joined organization or project. */
const joined = (console: string, { organization, invite }: InviteWithTarget) =>
  organization
    ? `${console}/organizations/${organization.publicId}/projects`
    : `${console}/organizations/none/projects/${invite.projectId}`

/** Invite pages: who invites to what; then sign in or sign up, answer, and continue to the console. */
export const inviteRoutes = ({ app, deps }: SignInHost): void => {
  const { db, config, clock } = deps
  const home = config.urls.console

  // The same for a link that never was, one that a newer mail replaced, and one to what was deleted: none of them is stored.
  const find = async (token: string) =>
    (/^[\w-]{43}$/.test(token) ? await findInviteOfToken(db, hashOf(token)) : undefined) ??
    refuse(404, 'not_found', {
      message: 'There is no invite behind this link. Use the link in the newest mail, or ask for another invite',
    })

  const offer = async (request: FastifyRequest, reply: FastifyReply, token: string, mail: string | undefined) => {
    const found = await find(token)
    const title = 'Invite'
    const state = stateOf(found, clock())
    if (state !== 'pending') return show(reply, deps, { title, main: endedPage(found, state, home) })
    const { csrf } = formToken(request, reply, config)
    const signedIn = await signedInOf(deps, request)
    if (!signedIn) {
      const asked = findAuthorizationRequest(deps, { invite: token, mail })
      const main = unknownInvitePage({
        found,
        query: queryOf(asked),
        invited: await findInvitedVisitor(deps, asked),
        password: config.passwordSignIn,
      })
      return show(reply, deps, { title, main })
    }
    const { user } = signedIn
    const main = (isFor(found, user) ? answerPage : otherAccountPage)({ found, token, csrf, user })
    return show(reply, deps, { title, main })
  }

  // A mail scanner may follow links: only the buttons change anything.
  app.get<Token & { Querystring: { mail?: string } }>('/invites/:token', (request, reply) =>
    offer(request, reply, request.params.token, request.query.mail),
  )

  const answer = (request: FastifyRequest, token: string, { user, signInId }: SignedIn, accepts: boolean) =>
    transact(db, async (tx) => {
      const now = clock()
      const { found, deed } = await (accepts ? accept : decline)(tx, { now, token, person: user })
      const about = {
        chainId: auditChainOf(deed),
        projectId: deed.projectId ?? null,
        target: deed.target,
        changes: deed.changes ?? [],
        credential: { kind: 'sign_in', id: signInId },
      }
      await recordUserAudit(tx, request, { action: accepts ? 'invite.accept' : 'invite.decline', user, proven: true, now, about })
      return found
    })

  app.post<Token>('/invites/:token', async (request, reply) => {
    const { answer: said } = checkForm(request, config)
    const { token } = request.params
    const path = `/invites/${token}`
    const asked = await find(token)
    const signedIn = await signedInOf(deps, request)
    if (!signedIn) return reply.redirect(path, 303)
    const found = await answer(request, token, signedIn, said === 'accept').catch((error: unknown) =>
      error instanceof Refusal ? error : Promise.reject(error),
    )
    if (found instanceof Refusal) {
      if (found.status === 402) return show(reply, deps, { title: 'Invite', status: 402, main: fullPage(asked, path) })
      // Answered before, by a second press or in another tab: the page says what became of it.
      if (found.status === 404 || found.status === 409) return reply.redirect(path, 303)
      throw found
    }
    if (said === 'accept') {
      await updateLastUse(db, signedIn.signInId, clock())
      allowContinuing(reply, config, signedIn.signInId)
      return reply.redirect(joined(home, found), 303)
    }
    return show(reply, deps, { title: 'Declined', main: declinedPage(found, home) })
  })
}

const auditChainOf = ({ organizationId, userId }: AuditEvent): string => organizationId ?? userId ?? ''
