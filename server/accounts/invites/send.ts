import { type InviteRefusal, inviteLimits } from '../../../contract/accounts/invites'
import type { BaseRole, ProjectRole } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import type { User } from '../../core/http/actors'
import { notFound, refuse } from '../../core/http/refuse'
import { queueNotification } from '../../core/events/queue'
import { emptyMails, lockRecipients, queueMail } from '../../core/mail/queue-mail'
import { daysAfter } from '../../core/days'
import { createSecret, hashOf } from '../../core/tokens/token'
import { countSeats, type InviteTarget, lockTarget, requireSeat } from './target'
import { acceptUrl, inviteMail, mailedUrl } from './mail'
import {
  findInvite,
  findInviteIn,
  type InviteWithTarget,
  insertInvite,
  listKnownAddresses,
  listPendingInvites,
  lockInviteIn,
  updateInviteState,
  updateResentInvite,
} from './repository'
import { stateOf } from './state'

export type InviteContext = {
  tx: Tx
  deps: Deps
  now: Date
  target: InviteTarget
  user: User
  afterCommit: (task: () => void) => void
}
type Asked = { emails: string[]; role: BaseRole | ProjectRole; message: string }
type Sent = { found: InviteWithTarget; url: string }

/** The secrets of a link: one for anyone who has the link, one that only the mail contains. */
const createSecrets = () => ({ token: createSecret(), proof: createSecret() })
type Secrets = ReturnType<typeof createSecrets>
const hashesOf = ({ token, proof }: Secrets) => ({ tokenHash: hashOf(token), mailHash: hashOf(proof) })

/** Mails the link of a new invite. */
const mailOut = async ({ tx, deps, target, user, afterCommit }: InviteContext, id: string, secrets: Secrets): Promise<Sent> => {
  const found = (await findInvite(tx, id)) ?? notFound()
  const { email: to, role, message, expiresAt } = found.invite
  const url = acceptUrl(deps.config, secrets.token)
  const inviter = { fullName: user.name, email: user.email }
  const letter = { to, target, inviter, role, message, url: mailedUrl(url, secrets.proof), expiresAt }
  await queueNotification(tx, id)
  afterCommit(await queueMail(tx, deps, { ...inviteMail(letter), limited: true, linkHash: found.invite.tokenHash }))
  return { found, url }
}

/** The addresses that have an open invite; expired invites that are still marked as open are closed. */
const openOf = async ({ tx, now, target }: InviteContext, emails: string[]): Promise<Set<string>> => {
  const kept = await listPendingInvites(tx, target, emails)
  const open = new Set<string>()
  for (const found of kept) {
    const state = stateOf(found, now)
    if (state === 'pending') open.add(found.invite.email)
    else await updateInviteState(tx, found.invite.id, state, now)
  }
  return open
}

/** Invites each address, or returns why not. */
export const sendInvites = async (work: InviteContext, { emails: asked, role, message }: Asked) => {
  const { tx, now, target, user } = work
  const emails = asked.map((email) => email.toLowerCase())
  await lockTarget(tx, target)
  await lockRecipients(tx, emails)
  const known = await listKnownAddresses(tx, target, emails)
  const open = await openOf(work, emails)
  const seats = await countSeats(tx, target, now)
  let room = seats.limit - seats.taken - seats.invited
  const sent: Sent[] = []
  const failed: InviteRefusal[] = []
  for (const email of emails) {
    const code = known.has(email) ? 'already_member' : open.has(email) ? 'already_invited' : room <= 0 ? 'seat_limit' : undefined
    if (code !== undefined) {
      failed.push({ email, code })
      continue
    }
    room -= 1
    const secrets = createSecrets()
    const times = { expiresAt: daysAfter(now, inviteLimits.days), lastSentAt: now }
    const id = await insertInvite(tx, target, { email, role, message, ...hashesOf(secrets), invitedBy: user.id, ...times }, now)
    sent.push(await mailOut(work, id, secrets))
  }
  return { sent, failed }
}

/** The invite of this target, locked; 404 for those of others. */
export const ownInvite = async ({ tx, target }: Pick<InviteContext, 'tx' | 'target'>, id: string): Promise<InviteWithTarget> => {
  await lockTarget(tx, target)
  await lockInviteIn(tx, target, id)
  return (await findInviteIn(tx, target, id)) ?? notFound()
}

/** Sends a pending or expired invite again with a new link; the sender becomes its inviter. */
export const resend = async (work: InviteContext, found: InviteWithTarget): Promise<Sent> => {
  const { tx, now, user, target } = work
  const { invite } = found
  if (invite.state !== 'pending' && invite.state !== 'expired')
    refuse(409, 'invite_gone', { message: `This invite was ${invite.state}` })
  if (invite.sendCount >= inviteLimits.sends)
    refuse(429, 'send_limit', { message: `An invite can be sent ${inviteLimits.sends} times at most` })
  const open = await openOf(work, [invite.email])
  if (invite.state === 'expired' && open.has(invite.email))
    refuse(409, 'already_invited', { message: 'This address already has an open invite' })
  if ((await listKnownAddresses(tx, target, [invite.email])).size > 0)
    refuse(409, 'already_member', { message: 'This person is already a member' })
  // An open invite has its seat already.
  if (stateOf(found, now) !== 'pending') await requireSeat(tx, target, now)
  const secrets = createSecrets()
  await emptyMails(tx, [invite.tokenHash])
  const times = { expiresAt: daysAfter(now, inviteLimits.days), lastSentAt: now }
  const resent = { ...hashesOf(secrets), invitedBy: user.id, ...times, sendCount: invite.sendCount + 1 }
  await updateResentInvite(tx, invite.id, resent, now)
  return mailOut(work, invite.id, secrets)
}
