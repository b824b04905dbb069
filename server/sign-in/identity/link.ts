import { randomInt } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { product } from '../../../contract/core/limits'
import { limitAddress, recordSignInAttempt } from '../../accounts/credentials/attempts'
import { type CredentialRow, findCredential, holdPassword } from '../../accounts/credentials/repository'
import {
  deleteIdentityLink,
  findIdentityLink,
  type IdentityLink,
  updateLinkCode,
} from '../../accounts/identities/requests.repository'
import { recordUserAudit } from '../../accounts/users/user-audit'
import type { Tx } from '../../core/database/tx'
import { emptyMails, queueMail } from '../../core/mail/queue-mail'
import { hashOf } from '../../core/tokens/token'
import { transact } from '../../core/http/database-errors'
import { type AuthorizationRequest, findAuthorizationRequest, queryOf } from '../authorization'
import { cookieOf, setCookie } from '../cookies'
import type { Wrong } from '../fields'
import { checkForm, type Fields, formToken } from '../forms'
import { show, type SignInHost } from '../host'
import { beginStep } from '../step'
import { enterWithIdentity } from './enter'
import { linkForm } from './pages'
import type { Provider } from './provider'
import { IdentityRefusal } from './refusals'

type Proof = { verified: CredentialRow | null } | { wrong: Wrong }

/** The code is hashed with the link, so that equal codes of two links differ. */
const codeHashOf = ({ tokenHash }: Pick<IdentityLink, 'tokenHash'>, code: string) => hashOf(`${tokenHash}\0${code}`)

const useLink = async (tx: Tx, { tokenHash, codeHash }: IdentityLink) => {
  if (!(await deleteIdentityLink(tx, tokenHash))) throw new IdentityRefusal('state_unknown')
  if (codeHash !== null) await emptyMails(tx, [codeHash])
}

/** The person of an existing account proves it once, by its password or a mailed code, and connects it. */
export const linkRoutes = ({ app, deps, passwords }: SignInHost, { name }: Provider): void => {
  const { db, config, clock } = deps

  const linkOf = async (request: FastifyRequest) => {
    const secret = cookieOf(request, config, 'link')
    return secret === undefined ? undefined : findIdentityLink(db, hashOf(secret), clock())
  }
  const late = (reply: FastifyReply, asked: AuthorizationRequest | undefined) =>
    reply.redirect(`/signin${queryOf(asked, { told: 'late_link' })}`, 303)

  type Ask = { asked: AuthorizationRequest | undefined; link: IdentityLink; sent: boolean; status?: number; wrong?: Wrong }
  const ask = (request: FastifyRequest, reply: FastifyReply, { asked, link, sent, status = 200, wrong = {} }: Ask) => {
    const { csrf } = formToken(request, reply, config)
    const main = linkForm({ asked, csrf, name, email: link.user.email, sent, wrong })
    return show(reply, deps, { title: 'Connect your account', status, main })
  }

  app.get<{ Querystring: Fields }>('/signin/oidc/link', async (request, reply) => {
    const asked = findAuthorizationRequest(deps, request.query)
    const link = await linkOf(request)
    return link ? ask(request, reply, { asked, link, sent: false }) : late(reply, asked)
  })

  const sendCode = async (link: IdentityLink) => {
    const code = String(randomInt(100_000_000)).padStart(8, '0')
    const text = `Enter this code to connect your account with ${name}: ${code}\n\nIt is valid for ten minutes. If you did not request this, ignore this mail; do not give the code to anyone.\n`
    const send = await transact(db, async (tx) => {
      const linkHash = codeHashOf(link, code)
      await updateLinkCode(tx, link.tokenHash, linkHash)
      return queueMail(tx, deps, { limited: true, linkHash, to: link.user.email, subject: `${product.name}: your code`, text })
    })
    send()
  }

  const wrongPassword: Wrong = { password: 'This is not the password of this account' }

  /** What was verified, null for the code of the mail; or what is wrong with it. */
  const checkProof = async (request: FastifyRequest, link: IdentityLink, { code, password = '' }: Fields): Promise<Proof> => {
    // The code is counted by the account alone: eight digits could be guessed from many addresses.
    const attempt =
      code === undefined
        ? await recordSignInAttempt(deps, link.user.email, request.ip)
        : await recordSignInAttempt(deps, `identity link ${link.user.id}`, '')
    const credential = code === undefined ? await findCredential(db, link.user.id) : undefined
    const isRight =
      code === undefined
        ? await passwords.matches(password, credential?.passwordHash)
        : link.codeHash !== null && codeHashOf(link, code.replaceAll(/\s/g, '')) === link.codeHash
    if (isRight) {
      await attempt.succeeded()
      return { verified: credential ?? null }
    }
    const about = { reason: 'identity_not_proven' }
    await transact(db, (tx) =>
      recordUserAudit(tx, request, {
        action: 'session.fail',
        result: 'failure',
        user: link.user,
        proven: false,
        now: clock(),
        about,
      }),
    )
    return { wrong: code === undefined ? wrongPassword : { code: 'This code is wrong' } }
  }

  type Entering = { asked: AuthorizationRequest | undefined; link: IdentityLink; verified: CredentialRow | null }
  /** Where the person continues; undefined if the password was changed while it was verified (T-11). */
  const enter = async (request: FastifyRequest, reply: FastifyReply, { asked, link, verified }: Entering) => {
    const { user, proof } = link
    const entered = await transact(db, async (tx) => {
      if (verified && !(await holdPassword(tx, verified))) return undefined
      await useLink(tx, link)
      if (!user.mfaEnabled) return enterWithIdentity(tx, deps, request, reply, { asked, proof, user })
      await beginStep(tx, reply, deps, user.id, proof)
      return { goal: `/signin/code${queryOf(asked)}`, connected: [] }
    })
    for (const send of entered?.connected ?? []) send()
    return entered?.goal
  }

  app.post('/signin/oidc/link', async (request, reply) => {
    const fields = checkForm(request, config)
    const asked = findAuthorizationRequest(deps, fields)
    const link = await linkOf(request)
    if (!link) return late(reply, asked)
    if (fields.send === 'no') return ask(request, reply, { asked, link, sent: false })
    await limitAddress(deps, request.ip)
    if (fields.send === 'yes') {
      await sendCode(link)
      return ask(request, reply, { asked, link, sent: true })
    }
    const sent = fields.code !== undefined
    const given = (sent ? fields.code : fields.password) ?? ''
    if (given.trim() === '') {
      const wrong: Wrong = sent ? { code: 'Code is required' } : { password: 'Password is required' }
      return ask(request, reply, { asked, link, sent, status: 422, wrong })
    }
    const proof = await checkProof(request, link, fields)
    if ('wrong' in proof) return ask(request, reply, { asked, link, sent, status: 401, wrong: proof.wrong })
    const goal = await enter(request, reply, { asked, link, ...proof })
    if (goal === undefined) return ask(request, reply, { asked, link, sent, status: 401, wrong: wrongPassword })
    setCookie(reply, config, 'link', null)
    return reply.redirect(goal, 303)
  })
}
