import { secondsAfter } from '../core/days'
import { lifetimes } from '../core/lifetimes'
import type { FastifyRequest } from 'fastify'
import { product } from '../../contract/core/limits'
import { emailForm } from '../../contract/core/rules'
import { refuse } from '../core/http/refuse'
import { createSecret, hashOf } from '../core/tokens/token'
import { findResetUser, insertReset, updateUsedReset } from '../accounts/credentials/password-resets.repository'
import { accountNotice } from '../accounts/credentials/notice-mail'
import { insertRegistration } from '../accounts/credentials/registrations.repository'
import { upsertCredential } from '../accounts/credentials/repository'
import { findUserByEmail, type UserRow } from '../accounts/users/repository'
import { endSessions } from '../accounts/sessions/end-sessions'
import { field, hidden, type Wrong } from './fields'
import { checkForm, type Fields, formToken } from './forms'
import { findAuthorizationRequest, queryOf } from './authorization'
import { show, type SignInHost } from './host'
import { createLateWork } from './late-work'
import { html } from '../core/html'
import { emptyMails, queueMail, queueNothing } from '../core/mail/queue-mail'
import { recordUserAudit } from '../accounts/users/user-audit'
import { hasOutbox } from '../core/mail/has-outbox'
import { passwordProblem } from '../core/passwords/password-rules'
import { transact } from '../core/http/database-errors'
import { checkMail } from './signup-pages'
import { clearSignInFailures, limitAddress } from '../accounts/credentials/attempts'
import { withdrawEmailChange } from '../accounts/credentials/withdraw-email-change'
import { withdrawResets } from '../accounts/credentials/withdraw-resets'

const forgotForm = (csrf: string, back: string, fields: Fields = {}, wrong: Wrong = {}) =>
  html`<h1>Forgot your password?</h1>
    <p>We will send you a link to choose a new one.</p>
    <form method="post" action="/forgot" novalidate>
      ${hidden({ csrf })}
      ${field({ name: 'email', label: 'E-mail', type: 'email', value: fields.email, autocomplete: 'username', focus: true, wrong })}
      <button class="primary">Send link</button>
    </form>
    <p class="after"><a href="/signin${back}">Back to sign in</a></p>`

const resetForm = (token: string, csrf: string, email: string, wrong: Wrong = {}) =>
  html`<h1>Choose a new password</h1>
    <p>for <strong>${email}</strong>. You will be signed out everywhere.</p>
    <form method="post" action="/reset/${token}" novalidate>
      ${hidden({ csrf })} <input type="hidden" name="username" value="${email}" autocomplete="username" />
      ${field({
        name: 'password',
        label: 'New password',
        type: 'password',
        autocomplete: 'new-password',
        hint: 'At least 12 characters. A few words are fine.',
        focus: true,
        wrong,
      })}
      <button class="primary">Change password</button>
    </form>`

export const forgotRoutes = ({ app, deps, passwords }: SignInHost): void => {
  const { db, config, clock } = deps

  app.get<{ Querystring: Fields }>('/forgot', async (request, reply) => {
    const back = queryOf(findAuthorizationRequest(deps, request.query))
    return show(reply, deps, { title: 'Forgot password', main: forgotForm(formToken(request, reply, config).csrf, back) })
  })

  // Anyone who knows the address may request a reset: the owner sees from where. Recorded after the answer, which must take as
  // long for an unknown address, and so must the next one (T-13).
  const later = createLateWork(app)
  const recordRequest = (request: FastifyRequest, user: UserRow) =>
    later(() =>
      transact(db, (tx) =>
        recordUserAudit(tx, request, { action: 'user.password_reset_request', user, proven: false, now: clock() }),
      ).catch((error: unknown) =>
        deps.log.error({ err: error, request_id: request.id }, 'a request for a password reset was not recorded'),
      ),
    )

  app.post('/forgot', async (request, reply) => {
    const fields = checkForm(request, config)
    const email = (fields.email ?? '').trim().toLowerCase()
    if (!emailForm.test(email)) {
      const wrong = { email: email === '' ? 'E-mail is required' : 'This is not an e-mail address' }
      const main = forgotForm(formToken(request, reply, config).csrf, '', fields, wrong)
      return show(reply, deps, { title: 'Forgot password', status: 422, main })
    }
    await limitAddress(deps, request.ip)
    const user = await findUserByEmail(db, email)
    const token = createSecret()
    const linkHash = hashOf(token)
    const text = `Use this link to choose a new password. It is valid for an hour.\n\n${config.urls['sign-in']}/reset/${token}\n\nIf you did not request this, ignore this mail.\n`
    const letter = { limited: true, linkHash, to: email, subject: `Your ${product.name} password`, text }
    const send = await transact(db, async (tx) => {
      const now = clock()
      if (user) {
        const expiresAt = secondsAfter(now, lifetimes.passwordResetS)
        await insertReset(tx, { tokenHash: linkHash, userId: user.id, expiresAt })
        return queueMail(tx, deps, { ...letter, to: user.email })
      }
      // An expired row is written if there is no account, so that the answer takes as long (T-13).
      await insertRegistration(tx, { tokenHash: linkHash, email, fullName: '', expiresAt: now })
      return queueNothing(tx, deps, letter)
    })
    send()
    if (user) recordRequest(request, user)
    // The same page for an address that has no account (T-13).
    const main = checkMail({ email, good: 'an hour', back: '', local: hasOutbox(config) })
    return show(reply, deps, { title: 'Check your mail', main })
  })

  const open = async (token: string) => {
    const user = await findResetUser(db, hashOf(token), clock())
    return user ?? refuse(404, 'link_gone', { message: 'This link was already used or has expired' })
  }

  app.get<{ Params: { token: string } }>('/reset/:token', async (request, reply) => {
    const { email } = await open(request.params.token)
    const main = resetForm(request.params.token, formToken(request, reply, config).csrf, email)
    return show(reply, deps, { title: 'New password', main })
  })

  // A new password ends the sessions of the old one (T-11).
  const change = (request: FastifyRequest, user: UserRow, token: string, passwordHash: string) =>
    transact(db, async (tx) => {
      const now = clock()
      const used = await updateUsedReset(tx, hashOf(token), now)
      if (!used) refuse(404, 'link_gone', { message: 'This link was already used or has expired' })
      await emptyMails(tx, [used.tokenHash])
      await withdrawResets(tx, user.id)
      await withdrawEmailChange(tx, user.id)
      await upsertCredential(tx, { userId: user.id, passwordHash, changedAt: now })
      await endSessions(tx, user.id, now)
      // Who forgot the password has often tried it too many times before.
      await clearSignInFailures(tx, user.email, request.ip)
      await recordUserAudit(tx, request, { action: 'user.password_change', user, proven: true, now })
      const what = 'Your password was changed with a link that was mailed to you. All sessions were signed out.'
      return queueMail(tx, deps, accountNotice(config, user.email, 'your password was changed', what))
    })

  app.post<{ Params: { token: string } }>('/reset/:token', async (request, reply) => {
    const { password = '' } = checkForm(request, config)
    const { token } = request.params
    const user = await open(token)
    const problem = passwordProblem(password, { email: user.email, name: user.fullName })
    if (problem !== undefined) {
      const main = resetForm(token, formToken(request, reply, config).csrf, user.email, { password: problem })
      return show(reply, deps, { title: 'New password', status: 422, main })
    }
    await limitAddress(deps, request.ip)
    const send = await change(request, user, token, await passwords.hash(password))
    send()
    return reply.redirect('/signin?told=reset', 303)
  })
}
