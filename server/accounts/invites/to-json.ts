import { entityToJson, formatTimestamp } from '../../core/timestamps'
import type { InviteWithTarget } from './repository'
import { nameOf, stateOf } from './state'

export const inviteToJson = (found: InviteWithTarget, now: Date) => {
  const { invite, inviter } = found
  return {
    ...entityToJson(invite),
    email: invite.email,
    message: invite.message,
    state: stateOf(found, now),
    invited_by: { id: inviter.id, name: nameOf(inviter) },
    expires_at: formatTimestamp(invite.expiresAt),
    last_sent_at: formatTimestamp(invite.lastSentAt),
    send_count: invite.sendCount,
  }
}
