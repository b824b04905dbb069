import { secondsAfter } from '../core/days'
import { lifetimes } from '../core/lifetimes'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { validate } from 'superstruct'
import { SelfChange } from '../../contract/accounts/users'
import { emailForm } from '../../contract/core/rules'
import {
  deleteRegistration,
  deleteRegistrationsOf,
  findRegistration,
  insertRegistration,
} from '../accounts/credentials/registrations.repository'
import { insertCredential } from '../accounts/credentials/repository'
import { findUserByEmail, insertUser } from '../accounts/users/repository'
import type { Tx } from '../core/database/tx'
import { refuse } from '../core/http/refuse'
import { createSecret, hashOf } from '../core/tokens/token'
import { checkNames } from '../core/unseen'
import { allowContinuing, redirectSignedIn } from './continuing'
import { beginSignIn } from './cookies'
import type { Wrong } from './fields'
import { checkForm, type Fields, formToken } from './forms'
import { type AuthorizationRequest, findAuthorizationRequest, queryOf } from './authorization'
import { show, type SignInHost } from './host'
import { findInvitedVisitor } from './invited-visitor'
import { emptyMails, queueMail } from '../core/mail/queue-mail'
import { recordUserAudit } from '../accounts/users/user-audit'
import { hasOutbox } from '../core/mail/has-outbox'
import { passwordProblem } from '../core/passwords/password-rules'
import { transact } from '../core/http/database-errors'
import { checkMail, confirmForm, knownMail, signUpForm, signUpMail } from './signup-pages'
import { limitAddress } from '../accounts/credentials/attempts'

const wrongName = (full_name: string) =>
  validate({ full_name }, SelfChange)[0]?.message ?? checkNames({ full_name })?.[0]?.message

// In the order of the fields.
const wrongOf = ({ full_name = '', email = '' }: Fields): Wrong => {
  const [name, address] = [full_name.trim(), email.trim()]
  return {
    full_name: name === '' ? 'Full name is required' : wrongName(name),
    ...(address === '' && { email: 'E-mail is required' }),
    ...(address !== '' && !emailForm.test(address) && { email: 'This is not an e-mail address' }),
  }
}

const passwordWrong = (password: string, email: string, name: string): Wrong => ({
  password: passwordProblem(password, { email, name }),
})

const isWrong = (wrong: Wrong) => Object.values(wrong).some(Boolean)
const gone = () => refuse(404, 'link_gone', { message: 'This link was already used or has expired' })

type Account = { email: string; fullName: string; passwordHash: string }

export const signUpRoutes = ({ app, deps, passwords }: SignInHost): void => {
  const { db, config, clock } = deps

  const createAccount = async (tx: Tx, request: FastifyRequest, { email, fullName, passwordHash }: Account) => {
    const now = clock()
    const user = await insertUser(tx, { email, fullName }, now)
    if (!user) return gone()
    await insertCredential(tx, { userId: user.id, passwordHash, changedAt: now })
    await recordUserAudit(tx, request, { action: 'user.create', user, proven: true, now })
    return user
  }

  const enter = async (reply: FastifyReply, asked: AuthorizationRequest | undefined, userId: string) => {
    const signInId = await beginSignIn(db, reply, deps, userId)
    // The mailed link opens in a tab that does not know the request of the console: the console begins again.
    allowContinuing(reply, config, signInId)
    return reply.redirect(await redirectSignedIn(db, reply, deps, asked, userId, signInId), 303)
  }

  // The identity provider creates the accounts.
  if (!config.passwordSignIn) {
    app.get<{ Querystring: Fields }>('/signup', async (request, reply) =>
      reply.redirect(`/signin${queryOf(findAuthorizationRequest(deps, request.query))}`, 303),
    )
    return
  }

  app.get<{ Querystring: Fields }>('/signup', async (request, reply) => {
    const asked = findAuthorizationRequest(deps, request.query)
    const invited = await findInvitedVisitor(deps, asked)
    if (invited?.hasAccount) return reply.redirect(`/signin${queryOf(asked)}`, 303)
    const main = signUpForm({ asked, invited: invited?.email, ...formToken(request, reply, config) })
    return show(reply, deps, { title: 'Sign up', main })
  })

  type Answer = { asked: AuthorizationRequest | undefined; fields: Fields; invited: string }
  /** The mail of the invite has proved the address: no second one is needed. */
  const signUpInvited = async (request: FastifyRequest, reply: FastifyReply, { asked, fields, invited }: Answer) => {
    const { full_name = '', password = '' } = fields
    const wrong = { ...wrongOf({ ...fields, email: invited }), ...passwordWrong(password, invited, full_name.trim()) }
    if (isWrong(wrong)) {
      const main = signUpForm({ asked, invited, ...formToken(request, reply, config), fields, wrong })
      return show(reply, deps, { title: 'Sign up', status: 422, main })
    }
    await limitAddress(deps, request.ip)
    const passwordHash = await passwords.hash(password)
    const account = { email: invited, fullName: full_name.trim(), passwordHash }
    const user = await transact(db, (tx) => createAccount(tx, request, account))
    return enter(reply, asked, user.id)
  }

  app.post('/signup', async (request, reply) => {
    const fields = checkForm(request, config)
    const asked = findAuthorizationRequest(deps, fields)
    const invited = await findInvitedVisitor(deps, asked)
    if (invited?.hasAccount) return reply.redirect(`/signin${queryOf(asked)}`, 303)
    if (invited) return signUpInvited(request, reply, { asked, fields, invited: invited.email })
    const wrong = wrongOf(fields)
    if (isWrong(wrong)) {
      const main = signUpForm({ asked, ...formToken(request, reply, config), fields, wrong })
      return show(reply, deps, { title: 'Sign up', status: 422, main })
    }
    await limitAddress(deps, request.ip)
    const email = (fields.email ?? '').trim().toLowerCase()
    const fullName = (fields.full_name ?? '').trim()
    const token = createSecret()
    const expiresAt = secondsAfter(clock(), lifetimes.registrationS)
    const base = config.urls['sign-in']
    const send = await transact(db, async (tx) => {
      const known = await findUserByEmail(tx, email)
      if (known) return queueMail(tx, deps, { limited: true, to: email, ...knownMail(base) })
      await insertRegistration(tx, { tokenHash: hashOf(token), email, fullName, expiresAt })
      return queueMail(tx, deps, { limited: true, to: email, linkHash: hashOf(token), ...signUpMail({ base, token, asked }) })
    })
    send()
    const main = checkMail({ email, good: 'a day', back: queryOf(asked), local: hasOutbox(config) })
    return show(reply, deps, { title: 'Check your mail', main })
  })

  const find = async (token: string) => (await findRegistration(db, hashOf(token), clock())) ?? gone()

  // A mail scanner may follow links: only the button changes anything.
  app.get<{ Params: { token: string }; Querystring: Fields }>('/signup/:token', async (request, reply) => {
    const asked = findAuthorizationRequest(deps, request.query)
    const { token } = request.params
    const { email } = await find(token)
    const main = confirmForm({ token, asked, email, ...formToken(request, reply, config) })
    return show(reply, deps, { title: 'Choose a password', main })
  })

  app.post<{ Params: { token: string } }>('/signup/:token', async (request, reply) => {
    const fields = checkForm(request, config)
    const asked = findAuthorizationRequest(deps, fields)
    const { token } = request.params
    const { password = '' } = fields
    const { email, fullName } = await find(token)
    const wrong = passwordWrong(password, email, fullName)
    if (isWrong(wrong)) {
      const main = confirmForm({ token, asked, email, wrong, ...formToken(request, reply, config) })
      return show(reply, deps, { title: 'Choose a password', status: 422, main })
    }
    await limitAddress(deps, request.ip)
    const passwordHash = await passwords.hash(password)
    const user = await transact(db, async (tx) => {
      const used = await deleteRegistration(tx, hashOf(token), clock())
      if (!used) return gone()
      // After several requests there is one account, and the other links end.
      const others = await deleteRegistrationsOf(tx, email)
      await emptyMails(
        tx,
        [used, ...others].map(({ tokenHash }) => tokenHash),
      )
      return createAccount(tx, request, { email, fullName, passwordHash })
    })
    return enter(reply, asked, user.id)
  })
}
