import { and, gt, isNull, or } from 'drizzle-orm'
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
  const { tokenHash, createdAt, expiresAt, revokedAt } = enrollmentTokens
  const valid = and(isNull(revokedAt), or(isNull(expiresAt), gt(expiresAt, now)))
  return tx
    .select({ tokenHash })
    .from(enrollmentTokens)
    .where(and(gt(createdAt, since), valid))
}
