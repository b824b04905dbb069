import type { FastifyReply, FastifyRequest } from 'fastify'
import { findAccount, holdPassword } from '../accounts/credentials/repository'
import { redirectSignedIn, useContinuing } from './continuing'
import { beginSignIn, setCookie, signedInOf } from './cookies'
import { endSignIn, updateLastUse } from '../accounts/sessions/sign-ins.repository'
import type { Wrong } from './fields'
import { checkForm, type Fields, fieldsOf, formToken } from './forms'
import { type AuthorizationRequest, findAuthorizationRequest, queryOf } from './authorization'
import { show, type SignInHost } from './host'
import { findInvitedVisitor } from './invited-visitor'
import { recordUserAudit } from '../accounts/users/user-audit'
import { refuse } from '../core/http/refuse'
import { transact } from '../core/http/database-errors'
import { continueForm, signInForm } from './signin-pages'
import { beginStep } from './step'
import { recordSignInAttempt, limitAddress } from '../accounts/credentials/attempts'

// The same message for an unknown account and a wrong password (T-13).
const notRight = 'E-mail or password is wrong.'

const emptyFields = ({ email = '', password = '' }: Fields): Wrong => ({
  ...(email.trim() === '' && { email: 'E-mail is required' }),
  ...(password === '' && { password: 'Password is required' }),
})

/** `TEASEL_PASSWORD_SIGN_IN=off` leaves only the identity provider. */
const refusePasswords = (): never =>
  refuse(403, 'password_sign_in_off', { message: 'Passwords do not sign in here. Sign in with your company account' })

const notices = new Map([
  ['reset', 'Your password was changed. Sign in with the new one.'],
  ['reset_only', 'Your password was changed.'],
  ['late', 'The second step has expired. Sign in again.'],
  ['late_link', 'The time to connect your account has run out. Sign in again.'],
])

const told = (name: string | undefined, password: boolean) =>
  notices.get(name === 'reset' && !password ? 'reset_only' : (name ?? ''))

export const signInRoutes = ({ app, deps, passwords }: SignInHost): void => {
  const { db, config } = deps
  const ways = { provider: config.identityProvider?.name, password: config.passwordSignIn }

  type Again = { status: number; problem?: string; wrong?: Wrong }
  const again = (
    request: FastifyRequest,
    reply: FastifyReply,
    asked: AuthorizationRequest | undefined,
    { status, problem, wrong }: Again,
  ) => {
    const { csrf } = formToken(request, reply, config)
    const main = signInForm({ asked, csrf, ways, email: fieldsOf(request).email, problem, ...(wrong && { wrong }) })
    return show(reply, deps, { title: 'Sign in', status, main })
  }

  const goOn = async (request: FastifyRequest, reply: FastifyReply, asked: AuthorizationRequest | undefined) => {
    const signedIn = await signedInOf(deps, request)
    if (!signedIn) return reply.redirect(`/signin${queryOf(asked)}`, 303)
    const { signInId, user } = signedIn
    await updateLastUse(db, signInId, deps.clock())
    return reply.redirect(await redirectSignedIn(db, reply, deps, asked, user.id, signInId), 303)
  }

  app.get<{ Querystring: Fields }>('/signin', async (request, reply) => {
    const asked = findAuthorizationRequest(deps, request.query)
    const { csrf } = formToken(request, reply, config)
    const signedIn = await signedInOf(deps, request)
    if (!signedIn) {
      const invited = await findInvitedVisitor(deps, asked)
      const main = signInForm({ asked, csrf, ways, email: invited?.email, told: told(request.query.told, ways.password) })
      return show(reply, deps, { title: 'Sign in', main })
    }
    const { fullName: name, email } = signedIn.user
    if (asked && !('invite' in asked) && useContinuing(request, reply, deps, signedIn)) return goOn(request, reply, asked)
    return show(reply, deps, { title: 'Sign in', main: continueForm({ asked, csrf, name, email }) })
  })

  type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>
  /** Where a person with the right password goes; undefined if it was changed while it was verified (T-11). */
  const enter = (reply: FastifyReply, { user, credential }: Account, asked: AuthorizationRequest | undefined) =>
    transact(db, async (tx) => {
      if (!(await holdPassword(tx, credential))) return undefined
      if (user.mfaEnabled) {
        await beginStep(tx, reply, deps, user.id)
        return `/signin/code${queryOf(asked)}`
      }
      const signInId = await beginSignIn(tx, reply, deps, user.id)
      return redirectSignedIn(tx, reply, deps, asked, user.id, signInId)
    })

  app.post('/signin', async (request, reply) => {
    const fields = checkForm(request, config)
    const asked = findAuthorizationRequest(deps, fields)
    if (fields.continue !== undefined) return goOn(request, reply, asked)
    if (!ways.password) refusePasswords()
    const wrong = emptyFields(fields)
    if (Object.keys(wrong).length > 0) return again(request, reply, asked, { status: 422, wrong })
    const { email = '', password = '' } = fields
    await limitAddress(deps, request.ip)
    const attempt = await recordSignInAttempt(deps, email.trim(), request.ip)
    const account = await findAccount(db, email.trim().toLowerCase())
    const isRight = (await passwords.matches(password, account?.credential.passwordHash)) && account !== undefined
    const goal = isRight ? await enter(reply, account, asked) : undefined
    if (goal === undefined) {
      const now = deps.clock()
      request.log.warn({ request_id: request.id, known: account !== undefined }, 'a sign-in failed')
      if (account)
        await transact(db, (tx) =>
          recordUserAudit(tx, request, { action: 'session.fail', result: 'failure', user: account.user, proven: false, now }),
        )
      return again(request, reply, asked, { status: 401, problem: notRight })
    }
    await attempt.succeeded()
    return reply.redirect(goal, 303)
  })

  app.post('/signout', async (request, reply) => {
    const fields = checkForm(request, config)
    const asked = findAuthorizationRequest(deps, fields)
    const signedIn = await signedInOf(deps, request)
    if (signedIn)
      await transact(db, async (tx) => {
        const { user, signInId } = signedIn
        await endSignIn(tx, signInId, deps.clock())
        const about = { target: { kind: 'sign_in', id: signInId, name: null }, reason: 'at the sign-in host' }
        await recordUserAudit(tx, request, { action: 'session.delete', user, proven: true, now: deps.clock(), about })
      })
    setCookie(reply, config, 'sign_in', null)
    return reply.redirect(`/signin${queryOf(asked)}`, 303)
  })
}
