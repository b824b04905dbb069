import { and, eq, isNull } from 'drizzle-orm'
import { deviceTokens } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { createToken, hashOf, prefixOf } from '../../core/tokens/token'

type Owner = { projectId: string; deviceId: string }

/** A new secret for a device. It is told once; only its hash stays. */
export const giveToken = async (tx: Tx, { projectId, deviceId }: Owner, now: Date): Promise<string> => {
  const token = createToken('dvc')
  await tx.insert(deviceTokens).values({ tokenHash: hashOf(token), projectId, deviceId, prefix: prefixOf(token), createdAt: now })
  return token
}

/**
 * How a secret stands: `ending` was replaced and lives on only for a while, `ended` is gone or past its time. Ask under the lock of
 * the device: a rotation or an end at the same moment has then been written.
 */
export const tokenState = async (tx: Tx, tokenHash: string, now: Date): Promise<'lasting' | 'ending' | 'ended'> => {
  const [token] = await tx.select().from(deviceTokens).where(eq(deviceTokens.tokenHash, tokenHash))
  if (!token || (token.expiresAt !== null && token.expiresAt <= now)) return 'ended'
  return token.expiresAt === null ? 'lasting' : 'ending'
}

/** Ends all secrets of a device now: the device that holds one of them is another, or gone. */
export const endTokens = async (tx: Tx, deviceId: string): Promise<void> => {
  await tx.delete(deviceTokens).where(eq(deviceTokens.deviceId, deviceId))
}

/** Lets the present secrets live on until `until`: a device may be cut off before it has written down the new one. */
export const overlapTokens = async (tx: Tx, deviceId: string, until: Date): Promise<void> => {
  await tx
    .update(deviceTokens)
    .set({ expiresAt: until })
    .where(and(eq(deviceTokens.deviceId, deviceId), isNull(deviceTokens.expiresAt)))
}
