import { and, eq, isNotNull, isNull, lt } from 'drizzle-orm'
import { devices, deviceTokens } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { createToken, hashOf, prefixOf } from '../../core/tokens/token'

type Owner = { projectId: string; deviceId: string }
export type DeviceTokenRow = typeof deviceTokens.$inferSelect

/** Creates a token for a device. Only this result contains it; the database keeps its hash. */
export const issueDeviceToken = async (tx: Tx, { projectId, deviceId }: Owner, now: Date): Promise<string> => {
  const token = createToken('dvc')
  await tx.insert(deviceTokens).values({ tokenHash: hashOf(token), projectId, deviceId, prefix: prefixOf(token), createdAt: now })
  return token
}

export const findDeviceToken = async (tx: Tx, tokenHash: string): Promise<DeviceTokenRow | undefined> => {
  const [token] = await tx.select().from(deviceTokens).where(eq(deviceTokens.tokenHash, tokenHash))
  return token
}

/** Whether this is a token of that device, which is not deleted. */
export const isTokenOfDevice = async (tx: Tx, { projectId, deviceId }: Owner, token: string): Promise<boolean> => {
  const [known] = await tx
    .select({ id: devices.id })
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .where(
      and(
        eq(deviceTokens.tokenHash, hashOf(token)),
        eq(devices.id, deviceId),
        eq(devices.projectId, projectId),
        isNull(devices.deletedAt),
      ),
    )
  return known !== undefined
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

export const deleteExpiredDeviceTokens = async (tx: Tx, now: Date): Promise<void> => {
  await tx.delete(deviceTokens).where(and(isNotNull(deviceTokens.expiresAt), lt(deviceTokens.expiresAt, now)))
}
