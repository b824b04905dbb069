import { and, eq, inArray } from 'drizzle-orm'
import { type InviteRefusal, inviteLimits } from '../../../contract/invites'
import type { BaseRole, ProjectRole } from '../../../contract/roles'
import { invites } from '../schema/invites'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import type { User } from '../../core/http/actors'
import { newRow, rowUpdate } from '../../core/database/row'
import { notFound, refuse } from '../../core/http/refuse'
import { emptyMails, lockRecipients, queueMail } from '../../core/mail/queue-mail'
import { daysAfter } from '../../core/days'
import { createSecret, hashOf } from '../../core/tokens/token'
import { countSeats, type InviteTarget, inTarget, knownOf, lockTarget } from './target'
import { acceptUrl, inviteMail, mailedUrl } from './mail'
import { findInvite, findInvites, type Found, stateOf } from './repository'

export type InviteContext = {
  tx: Tx
  deps: Deps
  now: Date
  home: InviteTarget
  user: User
  afterCommit: (task: () => void) => void
}
type Asked = { emails: string[]; role: BaseRole | ProjectRole; message: string }
type Sent = { found: Found; url: string }

/** The secrets of a link: one for anyone who has the link, one that only the mail contains. */
const createSecrets = () => ({ token: createSecret(), proof: createSecret() })
type Secrets = ReturnType<typeof createSecrets>
const hashesOf = ({ token, proof }: Secrets) => ({ tokenHash: hashOf(token), mailHash: hashOf(proof) })

/** Mails the link of a new invite. */
const mailOut = async ({ tx, deps, home, user, afterCommit }: InviteContext, id: string, secrets: Secrets): Promise<Sent> => {
  const found = (await findInvite(tx, eq(invites.id, id))) ?? notFound()
  const { email: to, role, message, expiresAt } = found.invite
  const url = acceptUrl(deps.config, secrets.token)
  const inviter = { fullName: user.name, email: user.email }
  const letter = { to, home, inviter, role, message, url: mailedUrl(url, secrets.proof), expiresAt }
  afterCommit(await queueMail(tx, deps, { ...inviteMail(letter), limited: true, linkHash: found.invite.tokenHash }))
  return { found, url }
}

/** The addresses that have an open invite; expired invites that are still marked as open are closed. */
const openOf = async ({ tx, now, home }: InviteContext, emails: string[]): Promise<Set<string>> => {
  const kept = await findInvites(tx, and(inTarget(home), eq(invites.state, 'pending'), inArray(invites.email, emails)))
  const open = new Set<string>()
  for (const found of kept) {
    const state = stateOf(found, now)
    if (state === 'pending') open.add(found.invite.email)
    else
      await tx
        .update(invites)
        .set({ state, ...rowUpdate(now) })
        .where(eq(invites.id, found.invite.id))
  }
  return open
}

/** Invites each address, or returns why not. */
export const sendInvites = async (work: InviteContext, { emails: asked, role, message }: Asked) => {
  const { tx, now, home, user } = work
  const emails = asked.map((email) => email.toLowerCase())
  await lockTarget(tx, home)
  await lockRecipients(tx, emails)
  const known = await knownOf(tx, home, emails)
  const open = await openOf(work, emails)
  const seats = await countSeats(tx, home, now)
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
    const row = {
      ...newRow(now),
      organizationId: home.kind === 'organization' ? home.id : null,
      projectId: home.kind === 'project' ? home.id : null,
      email,
      role,
      message,
      ...hashesOf(secrets),
      state: 'pending' as const,
      invitedBy: user.id,
      expiresAt: daysAfter(now, inviteLimits.days),
      lastSentAt: now,
      sendCount: 1,
    }
    await tx.insert(invites).values(row)
    sent.push(await mailOut(work, row.id, secrets))
  }
  return { sent, failed }
}

/** The invite of this target, locked; 404 for those of others. */
export const ownInvite = async ({ tx, home }: Pick<InviteContext, 'tx' | 'home'>, id: string): Promise<Found> => {
  await lockTarget(tx, home)
  const mine = and(eq(invites.id, id), inTarget(home))
  await tx.select({ id: invites.id }).from(invites).where(mine).for('update')
  return (await findInvite(tx, mine)) ?? notFound()
}

/** Sends a pending or expired invite again with a new link; the sender becomes its inviter. */
export const resend = async (work: InviteContext, { invite }: Found): Promise<Sent> => {
  const { tx, now, user } = work
  if (invite.state !== 'pending' && invite.state !== 'expired')
    refuse(409, 'invite_gone', { message: `This invite was ${invite.state}` })
  if (invite.sendCount >= inviteLimits.sends)
    refuse(429, 'send_limit', { message: `An invite is sent ${inviteLimits.sends} times at most` })
  const open = await openOf(work, [invite.email])
  if (invite.state === 'expired' && open.has(invite.email))
    refuse(409, 'already_invited', { message: 'This address has another open invite' })
  if ((await knownOf(tx, work.home, [invite.email])).size > 0)
    refuse(409, 'already_member', { message: 'This person is a member already' })
  const secrets = createSecrets()
  await emptyMails(tx, [invite.tokenHash])
  await tx
    .update(invites)
    .set({
      ...hashesOf(secrets),
      state: 'pending',
      invitedBy: user.id,
      expiresAt: daysAfter(now, inviteLimits.days),
      lastSentAt: now,
      sendCount: invite.sendCount + 1,
      ...rowUpdate(now),
    })
    .where(eq(invites.id, invite.id))
  return mailOut(work, invite.id, secrets)
}
