import type { Tx } from '../../core/database/tx'
import { announceChange } from '../../core/events/changes'
import { nextId } from '../../core/ids'
import { formatTimestamp } from '../../core/timestamps'
import { sanitizeText } from '../../core/plain-text'
import type { InviteWithTarget } from '../invites/repository'
import { nameOf, stateOf } from '../invites/state'
import { findUser, findUserByEmail } from '../users/repository'
import { recordBrowser } from './browsers.repository'
import type { NotificationFacts } from './facts'
import { deleteTopic, insertNotifications } from './repository'

type AboutPerson = NotificationFacts & { topic: string; userId: string; at: Date; mailAt: Date | null }

const insertAboutPerson = async (tx: Tx, about: AboutPerson): Promise<void> => {
  await insertNotifications(tx, [{ id: nextId(about.at), projectId: null, ...about }])
  await announceChange(tx, about.userId)
}

type SignedIn = { userId: string; signInId: string; browserHash: string; ip: string; userAgent: string | undefined; now: Date }

/** Notifies a person of the first sign-in with a browser, unless it is the first one of their account. */
export const notifyOfNewBrowser = async (tx: Tx, signedIn: SignedIn): Promise<void> => {
  const { userId, signInId, browserHash, ip, userAgent, now } = signedIn
  if (await recordBrowser(tx, userId, browserHash, now)) return
  const user = await findUser(tx, userId)
  if (!user?.lastSignInAt) return
  const user_agent = userAgent === undefined ? null : sanitizeText(userAgent, 256)
  const data = { ip, user_agent, at: formatTimestamp(now) }
  await insertAboutPerson(tx, { kind: 'sign_in.new_browser', topic: `sign-in ${signInId}`, userId, at: now, mailAt: now, data })
}

/** Shows an invite to the person who has its address, again when it is sent again; the mail with its link is another one. */
export const notifyOfInvite = async (tx: Tx, found: InviteWithTarget, now: Date): Promise<void> => {
  const { invite, inviter, organization, project } = found
  const user = await findUserByEmail(tx, invite.email)
  if (!user || stateOf(found, now) !== 'pending') return
  const topic = `invite ${invite.id}`
  await deleteTopic(tx, topic)
  const kind = organization ? 'organization' : 'project'
  const data = {
    inviter: nameOf(inviter),
    target: { kind, name: organization?.name ?? project?.name ?? '' },
    role: invite.role,
    expires_at: formatTimestamp(invite.expiresAt),
  }
  await insertAboutPerson(tx, { kind: 'invite.received', topic, userId: user.id, at: now, mailAt: null, data })
}
