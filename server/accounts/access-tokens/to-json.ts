import { type AccessToken, tokenExpiringDays } from '../../../contract/accounts/access-tokens'
import { allows, type Permission } from '../../../contract/core/permissions'
import { daysAfter } from '../../core/days'
import { entityToJson, formatTimestampOrNull } from '../../core/timestamps'
import type { Maker } from './makers.repository'
import type { AccessTokenRow } from './repository'

export const stateOf = (
  { revokedAt, expiresAt, lifetimeDays }: Pick<AccessTokenRow, 'revokedAt' | 'expiresAt' | 'lifetimeDays'>,
  now: Date,
): AccessToken['state'] => {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'active'
  if (expiresAt <= now) return 'expired'
  const days = Math.min(tokenExpiringDays, (lifetimeDays ?? Number.POSITIVE_INFINITY) / 2)
  return expiresAt <= daysAfter(now, days) ? 'expiring' : 'active'
}

// Null means everything: the owner of a personal project.
const holds = (maker: Maker | undefined, permission: Permission) => maker !== undefined && allows(maker.grants, [permission])

export const accessTokenToJson = (row: AccessTokenRow, maker: Maker | undefined, now: Date): AccessToken => ({
  ...entityToJson(row),
  project_id: row.projectId,
  name: row.name,
  prefix: row.prefix,
  maker: { id: row.makerId, name: maker?.name ?? '' },
  permissions: row.permissions,
  effective_permissions: row.permissions.filter((permission) => holds(maker, permission)),
  lifetime_days: row.lifetimeDays,
  expires_at: formatTimestampOrNull(row.expiresAt),
  allowed_addresses: row.allowedAddresses,
  last_used_at: formatTimestampOrNull(row.lastUsedAt),
  last_used_ip: row.lastUsedIp,
  state: stateOf(row, now),
  rotated_from: row.rotatedFrom,
  replaced_at: formatTimestampOrNull(row.replacedAt),
})
