import type { User } from '../../../contract/accounts/users'
import { formatTimestampOrNull } from '../../core/timestamps'
import type { UserRow } from './repository'

export const userToJson = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  full_name: row.fullName,
  image_url: row.imageUrl,
  pricing_plan: row.pricingPlan,
  feature_channel: row.featureChannel,
  mfa_enabled: row.mfaEnabled,
  last_sign_in_at: formatTimestampOrNull(row.lastSignInAt),
})
