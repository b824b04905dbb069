import { and, gt, isNull, or, sql } from 'drizzle-orm'
import type { ListIssuedTokens } from '../../core/http/bad-tokens'
import { deviceTokens, enrollmentTokens } from '../schema/devices'

export const listIssuedDeviceTokens: ListIssuedTokens = (tx, since, now) => {
  const { tokenHash, createdAt, expiresAt } = deviceTokens
  const valid = or(isNull(expiresAt), gt(expiresAt, now))
  return tx
    .select({ tokenHash })
    .from(deviceTokens)
    .where(and(gt(createdAt, since), valid))
}

export const listIssuedEnrollmentTokens: ListIssuedTokens = (tx, since, now) => {
  const { authority, createdAt, expiresAt, revokedAt } = enrollmentTokens
  // Clients show the hash of their authority instead of a token.
  const tokenHash = sql<string>`coalesce(${authority}, ${enrollmentTokens.tokenHash})`
  const valid = and(isNull(revokedAt), or(isNull(expiresAt), gt(expiresAt, now)))
  return tx
    .select({ tokenHash })
    .from(enrollmentTokens)
    .where(and(gt(createdAt, since), valid))
}
