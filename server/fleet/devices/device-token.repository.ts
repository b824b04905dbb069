import { and, eq, gt, isNotNull, isNull, lt, ne, notExists, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { TokenForm } from '../../../contract/fleet/devices'
import { devices, deviceTokens } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { createToken, hashOf, prefixOf } from '../../core/tokens/token'

type Owner = { projectId: string; deviceId: string }
export type DeviceTokenRow = typeof deviceTokens.$inferSelect

/** Creates a token for a device. Only this result contains it; the database keeps its hash. */
export const issueDeviceToken = async (
  tx: Tx,
  { projectId, deviceId }: Owner,
  now: Date,
  form: TokenForm = 'long',
): Promise<string> => {
  const token = createToken(form === 'short' ? 'dvs' : 'dvc')
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

const isValid = (now: Date | Placeholder) => or(isNull(deviceTokens.expiresAt), gt(deviceTokens.expiresAt, now))

/** Of a query of devices: the device has no valid token of its own. */
export const hasNoOwnToken = (tx: Tx, now: Date | Placeholder): SQL =>
  notExists(
    tx
      .select({ one: sql`1` })
      .from(deviceTokens)
      .where(and(eq(deviceTokens.deviceId, devices.id), isValid(now))),
  )

/** Whether the device has a valid token of its own. */
export const hasOwnToken = async (tx: Tx, deviceId: string, now: Date): Promise<boolean> => {
  const [found] = await tx
    .select({ one: sql`1` })
    .from(deviceTokens)
    .where(and(eq(deviceTokens.deviceId, deviceId), isValid(now)))
    .limit(1)
  return found !== undefined
}

/** The tokens of a device that was moved are those of its new row. */
export const moveDeviceTokens = async (tx: Tx, fromId: string, to: Owner): Promise<void> => {
  await tx.update(deviceTokens).set(to).where(eq(deviceTokens.deviceId, fromId))
}

/** Ends all tokens of a device now: it was enrolled again, or removed. */
export const revokeDeviceTokens = async (tx: Tx, deviceId: string): Promise<void> => {
  await tx.delete(deviceTokens).where(eq(deviceTokens.deviceId, deviceId))
}

/**
 * Keeps the current tokens valid until `until`: a device may lose its connection before it has stored the new one. Returns whether it
 * has such tokens: a gateway's token is refused as soon as the device has its own.
 */
export const overlapDeviceTokens = async (tx: Tx, deviceId: string, until: Date): Promise<boolean> => {
  const { rowCount } = await tx
    .update(deviceTokens)
    .set({ expiresAt: until })
    .where(and(eq(deviceTokens.deviceId, deviceId), isNull(deviceTokens.expiresAt)))
  return (rowCount ?? 0) > 0
}

/** Notes that a device asks for another token, and removes those that it has asked for but never used: their answers were lost. */
export const replaceDeviceToken = async (tx: Tx, { tokenHash, deviceId }: DeviceTokenRow, now: Date): Promise<void> => {
  const unused = and(eq(deviceTokens.deviceId, deviceId), ne(deviceTokens.tokenHash, tokenHash), isNull(deviceTokens.usedAt))
  await tx.delete(deviceTokens).where(unused)
  await tx.update(deviceTokens).set({ replacedAt: now }).where(eq(deviceTokens.tokenHash, tokenHash))
}

/**
 * Records the first use of a token. From then on the ones that it replaces have an end: as long after their replacement as given,
 * but not before now. Until then they have none, so a device that lost the answer with its new token is never locked out.
 */
export const recordDeviceTokenUse = async (tx: Tx, tokenHash: string, now: Date, overlapDays: number): Promise<void> => {
  const [first] = await tx
    .update(deviceTokens)
    .set({ usedAt: now })
    .where(and(eq(deviceTokens.tokenHash, tokenHash), isNull(deviceTokens.usedAt)))
    .returning({ deviceId: deviceTokens.deviceId })
  if (!first) return
  const end = sql`greatest(${deviceTokens.replacedAt} + make_interval(days => ${overlapDays}), ${now.toISOString()}::timestamptz)`
  const replaced = [eq(deviceTokens.deviceId, first.deviceId), ne(deviceTokens.tokenHash, tokenHash)]
  await tx
    .update(deviceTokens)
    .set({ expiresAt: end })
    .where(and(...replaced, isNotNull(deviceTokens.replacedAt), isNull(deviceTokens.expiresAt)))
}

export const deleteExpiredDeviceTokens = async (tx: Tx, now: Date): Promise<void> => {
  await tx.delete(deviceTokens).where(and(isNotNull(deviceTokens.expiresAt), lt(deviceTokens.expiresAt, now)))
}
