import type { Guest } from '../../../contract/accounts/guests'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import type { GuestRow } from './repository'

export const guestToJson = ({ stay, user, inviter, lastActive }: GuestRow): Guest => ({
  user: { id: user.id, name: user.fullName, email: user.email, image_url: user.imageUrl },
  base_role: stay.role,
  joined_at: formatTimestamp(stay.joinedAt),
  last_active_at: formatTimestampOrNull(lastActive === null ? null : new Date(lastActive)),
  mfa_enabled: user.mfaEnabled,
  invited_by: inviter && { id: inviter.id, name: inviter.fullName || inviter.email },
})
