import type { Member } from '../../../contract/members'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import type { MemberRow } from './repository'

export const memberToJson = ({ member, user, inviter, lastActive }: MemberRow): Member => ({
  user: { id: user.id, name: user.fullName, email: user.email, image_url: user.imageUrl },
  base_role: member.baseRole,
  joined_at: formatTimestamp(member.joinedAt),
  last_active_at: formatTimestampOrNull(lastActive === null ? null : new Date(lastActive)),
  mfa_enabled: user.mfaEnabled,
  invited_by: inviter && { id: inviter.id, name: inviter.fullName || inviter.email },
})
