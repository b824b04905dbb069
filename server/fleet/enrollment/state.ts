import type { EnrollmentToken } from '../../../contract/fleet/enrollment-tokens'

type Facts = { revokedAt: Date | null; expiresAt: Date | null; maxUses: number | null; uses: number }

export const stateOf = ({ revokedAt, expiresAt, maxUses, uses }: Facts, now: Date): EnrollmentToken['state'] => {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return maxUses !== null && uses >= maxUses ? 'used_up' : 'active'
}
