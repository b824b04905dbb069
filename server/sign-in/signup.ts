import { and, eq, gt, lte } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { product } from '../../contract/limits'
import { emailForm } from '../../contract/rules'
import { credentials, registrations, users } from '../database/schema/people'
import { born } from '../http/entity'
import { refuse } from '../http/refuse'
import { createSecret, hashOf } from '../tokens/token'
import { beginSignIn } from './cookies'
import { field, hidden, notice, type Wrong } from './fields'
import { checkForm, type Fields, formToken } from './forms'
import { type HandOver, handOver, handOverOf, queryOf } from './hand-over'
import { show, type SignInHost } from './host'
import { html } from './html'
import { queueMail } from './mail'
import { note } from './note'
import { hasOutbox } from './outbox'
import { passwordProblem } from './password-rules'
import { limitAddress } from './throttle'

const KEPT_MS = 24 * 3_600_000

const wrongOf = ({ full_name = '', email = '', password = '' }: Fields): Wrong => {
  const name = full_name.trim()
  // oxlint-disable-next-line no-control-regex -- a name without control characters is the rule itself
  const nameIsBad = name.length > 200 || !name.isWellFormed() || /[\u0000-\u001f\u007f]/.test(name)
  return {
    ...(name === '' && { full_name: 'Full name is required' }),
    ...(nameIsBad && { full_name: 'Full name must be 200 characters or less, without control characters' }),
    ...(email.trim() === '' && { email: 'E-mail is required' }),
    ...(email.trim() !== '' && !emailForm.test(email.trim()) && { email: 'This is not an e-mail address' }),
    password: passwordProblem(password, [email.trim(), email.split('@')[0] ?? '', name]),
  }
}

type Form = { asked: HandOver | undefined; csrf: string; fields?: Fields; wrong?: Wrong }

const signUpForm = ({ asked, csrf, fields = {}, wrong = {} }: Form) =>
  html`<h1>Sign up</h1>
    <p>for a control center of your own</p>
    <form method="post" action="/signup" novalidate>
      ${hidden({ csrf, ...asked })}
      ${field({ name: 'full_name', label: 'Full name', value: fields.full_name, autocomplete: 'name', focus: true, wrong })}
      ${field({ name: 'email', label: 'E-mail', type: 'email', value: fields.email, autocomplete: 'username', wrong })}
      ${field({
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'new-password',
        hint: 'At least 12 characters. A few words are fine.',
        wrong,
      })}
      <button class="primary">Sign up</button>
    </form>
    <p class="after">Have an account? <a href="/signin${queryOf(asked)}">Sign in</a></p>`

const confirmForm = (token: string, csrf: string, asked: HandOver | undefined, email: string) =>
  html`<h1>One more step</h1>
    <p>This makes the account of <strong>${email}</strong> and signs you in.</p>
    <form method="post" action="/signup/${token}">
      ${hidden({ csrf, ...asked })}
      <button class="primary">Confirm and sign in</button>
    </form>`

type Sent = { email: string; good: 'a day' | 'an hour'; back: string; local: boolean }

export const checkMail = ({ email, good, back, local }: Sent) =>
  html`<h1>Check your mail</h1>
    <p>We have sent a link to <strong>${email}</strong>. It is good for ${good}.</p>
    ${local && notice(html`This server sends no mail: <a href="/outbox">open its outbox</a>.`, 'info')}
    <p class="after"><a href="/signin${back}">Back to sign in</a></p>`

const gone = () => refuse(404, 'link_gone', { message: 'This link was used before or is too old' })

export const signUpRoutes = ({ app, deps, passwords }: SignInHost): void => {
  const { db, config, clock } = deps

  app.get<{ Querystring: Fields }>('/signup', async (request, reply) => {
    const asked = handOverOf(deps, request.query)
    return show(reply, deps, { title: 'Sign up', main: signUpForm({ asked, ...formToken(request, reply, config) }) })
  })

  app.post('/signup', async (request, reply) => {
    const fields = checkForm(request, config)
    const asked = handOverOf(deps, fields)
    const wrong = wrongOf(fields)
    if (Object.values(wrong).some(Boolean)) {
      const main = signUpForm({ asked, ...formToken(request, reply, config), fields, wrong })
      return show(reply, deps, { title: 'Sign up', status: 422, main })
    }
    await limitAddress(deps, request.ip)
    const email = (fields.email ?? '').trim().toLowerCase()
    // Hashed before anything is known, so that the answer takes as long either way (T-13).
    const passwordHash = await passwords.hash(fields.password ?? '')
    const token = createSecret()
    const expiresAt = new Date(clock().getTime() + KEPT_MS)
    const send = await db.transaction(async (tx) => {
      await tx.delete(registrations).where(lte(registrations.expiresAt, clock()))
      const [known] = await tx.select().from(users).where(eq(users.email, email))
      const base = config.urls['sign-in']
      if (known) {
        const text = `Somebody, probably you, has tried to sign up with this address, which has an account already.\n\nSign in: ${base}/signin\nForgot your password? ${base}/forgot\n`
        return queueMail(tx, deps, { to: email, subject: `You have a ${product.name} account`, text })
      }
      const fullName = (fields.full_name ?? '').trim()
      await tx.insert(registrations).values({ tokenHash: hashOf(token), email, fullName, passwordHash, expiresAt })
      const text = `Follow this link to make your account. It is good for a day.\n\n${base}/signup/${token}${queryOf(asked)}\n\nIf it was not you who asked for it, do nothing.\n`
      return queueMail(tx, deps, { to: email, subject: `Your ${product.name} account`, text })
    })
    send()
    const main = checkMail({ email, good: 'a day', back: queryOf(asked), local: hasOutbox(config) })
    return show(reply, deps, { title: 'Check your mail', main })
  })

  const waiting = (token: string) => and(eq(registrations.tokenHash, hashOf(token)), gt(registrations.expiresAt, clock()))

  // A mail scanner may follow links: only the button changes anything.
  app.get<{ Params: { token: string }; Querystring: Fields }>('/signup/:token', async (request, reply) => {
    const asked = handOverOf(deps, request.query)
    const [registration] = await db.select().from(registrations).where(waiting(request.params.token))
    const { email } = registration ?? gone()
    const { csrf } = formToken(request, reply, config)
    return show(reply, deps, { title: 'Sign up', main: confirmForm(request.params.token, csrf, asked, email) })
  })

  const confirm = (request: FastifyRequest, token: string) =>
    db.transaction(async (tx) => {
      const now = clock()
      const [registration] = await tx.delete(registrations).where(waiting(token)).returning()
      const { email, fullName, passwordHash } = registration ?? gone()
      const row = { ...born(now), email, fullName }
      const [user] = await tx.insert(users).values(row).onConflictDoNothing().returning()
      if (!user) return gone()
      await tx.insert(credentials).values({ userId: user.id, passwordHash, changedAt: now })
      await note(tx, request, { action: 'user.create', user, proven: true, now })
      return user
    })

  app.post<{ Params: { token: string } }>('/signup/:token', async (request, reply) => {
    const fields = checkForm(request, config)
    const asked = handOverOf(deps, fields)
    const user = await confirm(request, request.params.token)
    const signInId = await beginSignIn(db, reply, deps, user.id)
    return reply.redirect(await handOver(db, deps, asked, user.id, signInId), 303)
  })
}
