import type { FastifyReply, FastifyRequest } from 'fastify'
import { product } from '../../contract/core/limits'
import { countRecoveryCodes } from '../accounts/credentials/second-factor/recovery-codes.repository'
import { recordFactorAttempt, redeemFactorCode } from '../accounts/credentials/second-factor/use-code'
import { redirectSignedIn } from './continuing'
import { beginSignIn, setCookie } from './cookies'
import { checkForm, type Fields, formToken } from './forms'
import { type AuthorizationRequest, findAuthorizationRequest, queryOf } from './authorization'
import { show, type SignInHost } from './host'
import { queueMail } from '../core/mail/queue-mail'
import { recordUserAudit } from '../accounts/users/user-audit'
import type { Tx } from '../core/database/tx'
import { transact } from '../core/http/database-errors'
import { enterWithIdentity } from './identity/enter'
import { stepForm } from './step-page'
import { deleteStep, lockStep, type Step } from '../accounts/sessions/sign-in-steps.repository'
import { stepOf } from './step'
import { limitAddress } from '../accounts/credentials/attempts'

const recovery = { with: 'recovery' }

/** The step after the password: a code of the app or a recovery code. */
export const stepRoutes = ({ app, deps }: SignInHost): void => {
  const { db, config, clock } = deps

  const late = (reply: FastifyReply, asked: AuthorizationRequest | undefined) =>
    reply.redirect(`/signin${queryOf(asked, { told: 'late' })}`, 303)

  type Ask = { asked: AuthorizationRequest | undefined; fields: Fields; step: Step; status?: number; wrong?: string }
  const ask = (request: FastifyRequest, reply: FastifyReply, { asked, fields, step, status = 200, wrong }: Ask) => {
    const { csrf } = formToken(request, reply, config)
    const byRecovery = fields.with === recovery.with
    const other = `/signin/code${queryOf(asked, byRecovery ? {} : recovery)}`
    const main = stepForm({ asked, csrf, email: step.user.email, byRecovery, other, wrong })
    return show(reply, deps, { title: 'Two-step sign-in', status, main })
  }

  app.get<{ Querystring: Fields }>('/signin/code', async (request, reply) => {
    const asked = findAuthorizationRequest(deps, request.query)
    const step = await stepOf(deps, request)
    return step ? ask(request, reply, { asked, fields: request.query, step }) : late(reply, asked)
  })

  type Proven = { asked: AuthorizationRequest | undefined; step: Step }
  const enterAs = async (tx: Tx, request: FastifyRequest, reply: FastifyReply, { asked, step: { user, identity } }: Proven) => {
    if (identity !== null) return enterWithIdentity(tx, deps, request, reply, { asked, user, proof: identity })
    const signInId = await beginSignIn(tx, reply, deps, user.id)
    return { goal: await redirectSignedIn(tx, reply, deps, asked, user.id, signInId), connected: [] }
  }

  type Entering = { asked: AuthorizationRequest | undefined; step: Step; code: string }
  /**
   * Signs in if the code is right, otherwise returns undefined. One transaction: a code is used up if and only if it signed in.
   */
  const enter = (request: FastifyRequest, reply: FastifyReply, { asked, step, code }: Entering) =>
    transact(db, async (tx) => {
      const { user } = step
      const now = clock()
      const by = (await lockStep(tx, step)) ? await redeemFactorCode(tx, deps, { userId: user.id, code, now }) : undefined
      if (by === undefined) return undefined
      await deleteStep(tx, step)
      const { goal, connected } = await enterAs(tx, request, reply, { asked, step })
      if (by === 'app') return { goal, sends: connected }
      await recordUserAudit(tx, request, { action: 'user.recovery_code_use', user, proven: true, now })
      const left = await countRecoveryCodes(tx, user.id)
      const text = `A recovery code was used to sign in. ${left} codes are left.\n\nIf it was not you, choose a new password at ${config.urls['sign-in']}/forgot.\n`
      const mail = { limited: false, to: user.email, subject: `${product.name}: a recovery code was used`, text }
      return { goal, sends: [...connected, await queueMail(tx, deps, mail)] }
    })

  app.post('/signin/code', async (request, reply) => {
    const fields = checkForm(request, config)
    const asked = findAuthorizationRequest(deps, fields)
    const step = await stepOf(deps, request)
    if (!step) return late(reply, asked)
    const { code = '' } = fields
    if (code.trim() === '') return ask(request, reply, { asked, fields, step, status: 422, wrong: 'Code is required' })
    await limitAddress(deps, request.ip)
    const attempt = await recordFactorAttempt(deps, step.user.id)
    const entered = await enter(request, reply, { asked, step, code })
    if (!entered) {
      request.log.warn({ request_id: request.id, user_id: step.user.id }, 'a second factor failed')
      await transact(db, (tx) =>
        recordUserAudit(tx, request, { action: 'session.fail', result: 'failure', user: step.user, proven: false, now: clock() }),
      )
      return ask(request, reply, { asked, fields, step, status: 401, wrong: 'This code is wrong or was used before' })
    }
    await attempt.succeeded()
    for (const send of entered.sends) send()
    setCookie(reply, config, 'step', null)
    return reply.redirect(entered.goal, 303)
  })
}
