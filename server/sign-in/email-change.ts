import type { FastifyRequest } from 'fastify'
import { changedMails } from '../accounts/credentials/email-change-mails'
import {
  deleteIdentityLinksOf,
  findEmailChangeOfLink,
  lockEmailChangeOfLink,
  moveOpenInvites,
  type OpenedChange,
  updateConfirmed,
  updateEmail,
} from '../accounts/credentials/email-changes.repository'
import { deleteRegistrationsOf } from '../accounts/credentials/registrations.repository'
import { withdrawEmailChange } from '../accounts/credentials/withdraw-email-change'
import { withdrawResets } from '../accounts/credentials/withdraw-resets'
import { recordUserAudit } from '../accounts/users/user-audit'
import type { Tx } from '../core/database/tx'
import { transact } from '../core/http/database-errors'
import { refuse } from '../core/http/refuse'
import { emptyMails, queueMail } from '../core/mail/queue-mail'
import { hashOf } from '../core/tokens/token'
import { changedPage, confirmPage, takenPage, waitingPage, withdrawnPage } from './email-change-pages'
import { checkForm, formToken } from './forms'
import { show, type SignInHost } from './host'

type Token = { Params: { token: string } }
type Answer = 'confirmed' | 'changed' | 'taken' | 'withdrawn'
type Answered = { opened: OpenedChange; answer: Answer; sends: (() => void)[] }

const gone = (): never => refuse(404, 'link_gone', { message: 'This link was already used, was withdrawn or has expired' })

/** The pages behind the links that confirm a new address, at the old mailbox and at the new one. */
export const emailChangePageRoutes = ({ app, deps }: SignInHost): void => {
  const { db, config, clock } = deps
  const title = 'E-mail address'

  // A mail scanner may follow links: only the buttons change anything.
  app.get<Token>('/email/:token', async (request, reply) => {
    const { token } = request.params
    const opened = (await findEmailChangeOfLink(db, hashOf(token), clock())) ?? gone()
    const isDone = (opened.side === 'old' ? opened.change.oldConfirmedAt : opened.change.newConfirmedAt) !== null
    if (isDone) return show(reply, deps, { title, main: waitingPage(opened, config.urls.console) })
    return show(reply, deps, { title, main: confirmPage({ ...opened, token, ...formToken(request, reply, config) }) })
  })

  const withdraw = async (tx: Tx, request: FastifyRequest, opened: OpenedChange, reason: string): Promise<void> => {
    const { user, change } = opened
    await withdrawEmailChange(tx, user.id)
    const about = { credential: { kind: 'mailed_link', id: null }, reason: `to ${change.newEmail}: ${reason}` }
    await recordUserAudit(tx, request, { action: 'user.email_change_withdraw', user, proven: false, now: clock(), about })
  }

  /** What the old address could still do for the account ends; what follows the person follows to the new one. */
  const apply = async (tx: Tx, request: FastifyRequest, { user, change }: OpenedChange) => {
    const now = clock()
    await withdrawEmailChange(tx, user.id)
    await withdrawResets(tx, user.id)
    await deleteIdentityLinksOf(tx, user.id)
    const registrations = await deleteRegistrationsOf(tx, change.newEmail)
    await emptyMails(
      tx,
      registrations.map(({ tokenHash }) => tokenHash),
    )
    await moveOpenInvites(tx, change, now)
    const about = {
      credential: { kind: 'mailed_link', id: null },
      changes: [{ field: 'email', before: change.oldEmail, after: change.newEmail }],
    }
    const after = { ...user, email: change.newEmail }
    await recordUserAudit(tx, request, { action: 'user.email_change', user: after, proven: true, now, about })
    return Promise.all(changedMails(config, change).map((letter) => queueMail(tx, deps, letter)))
  }

  const confirm = async (tx: Tx, request: FastifyRequest, opened: OpenedChange): Promise<Answered> => {
    const { change, side } = opened
    const now = clock()
    const isOtherDone = (side === 'old' ? change.newConfirmedAt : change.oldConfirmedAt) !== null
    if (!isOtherDone) {
      await updateConfirmed(tx, change.userId, side, now)
      return { opened, answer: 'confirmed', sends: [] }
    }
    if (await updateEmail(tx, change, now)) return { opened, answer: 'changed', sends: await apply(tx, request, opened) }
    await withdraw(tx, request, opened, 'it has an account')
    return { opened, answer: 'taken', sends: [] }
  }

  const answer = (request: FastifyRequest, token: string, confirms: boolean): Promise<Answered> =>
    transact(db, async (tx) => {
      const opened = (await lockEmailChangeOfLink(tx, hashOf(token), clock())) ?? gone()
      if (confirms) return confirm(tx, request, opened)
      await withdraw(tx, request, opened, `by the link of the ${opened.side} address`)
      return { opened, answer: 'withdrawn', sends: [] }
    })

  const mainOf = ({ opened, answer: said }: Answered) => {
    if (said === 'changed') return changedPage(opened, config.urls.console)
    if (said === 'taken') return takenPage()
    return said === 'withdrawn' ? withdrawnPage(opened) : waitingPage(opened, config.urls.console)
  }

  app.post<Token>('/email/:token', async (request, reply) => {
    const { answer: said } = checkForm(request, config)
    const answered = await answer(request, request.params.token, said === 'confirm')
    for (const send of answered.sends) send()
    return show(reply, deps, { title, main: mainOf(answered) })
  })
}
