import { and, eq, isNull } from 'drizzle-orm'
import { deviceTokens } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { createToken, hashOf, prefixOf } from '../../core/tokens/token'

type Owner = { projectId: string; deviceId: string }

/** Creates a token for a device. Only this result contains it; the database keeps its hash. */
export const issueDeviceToken = async (tx: Tx, { projectId, deviceId }: Owner, now: Date): Promise<string> => {
  const token = createToken('dvc')
  await tx.insert(deviceTokens).values({ tokenHash: hashOf(token), projectId, deviceId, prefix: prefixOf(token), createdAt: now })
  return token
}

/**
 * The state of a token: `ending` was replaced and is valid for a limited time, `ended` was removed or has expired. Call it
 * under the lock of the device, after a concurrent rotation or revocation.
 */
export const tokenState = async (tx: Tx, tokenHash: string, now: Date): Promise<'lasting' | 'ending' | 'ended'> => {
  const [token] = await tx.select().from(deviceTokens).where(eq(deviceTokens.tokenHash, tokenHash))
  if (!token || (token.expiresAt !== null && token.expiresAt <= now)) return 'ended'
  return token.expiresAt === null ? 'lasting' : 'ending'
}

/** Ends all tokens of a device now: it was enrolled again, or removed. */
export const revokeDeviceTokens = async (tx: Tx, deviceId: string): Promise<void> => {
  await tx.delete(deviceTokens).where(eq(deviceTokens.deviceId, deviceId))
}

/** Keeps the current tokens valid until `until`: a device may lose its connection before it has stored the new one. */
export const overlapDeviceTokens = async (tx: Tx, deviceId: string, until: Date): Promise<void> => {
  await tx
    .update(deviceTokens)
    .set({ expiresAt: until })
    .where(and(eq(deviceTokens.deviceId, deviceId), isNull(deviceTokens.expiresAt)))
}
