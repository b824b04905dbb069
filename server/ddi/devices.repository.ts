import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { Tx } from '../core/database/tx'
import type { DeviceRow } from '../fleet/devices/repository'
import { devices, deviceTokens } from '../fleet/schema/devices'
import { ddiDevices } from './schema/ddi'

export type DdiDeviceRow = typeof ddiDevices.$inferSelect
type Owner = Pick<DeviceRow, 'id' | 'projectId'>

/** The device with this serial number, and the gateway token by which it was registered. */
export const findController = async (tx: Tx, projectId: string, serialNumber: string) => {
  const [found] = await tx
    .select({
      id: devices.id,
      name: devices.name,
      protocol: devices.protocol,
      lifecycle: devices.lifecycle,
      gatewayTokenId: ddiDevices.gatewayTokenId,
    })
    .from(devices)
    .leftJoin(ddiDevices, eq(ddiDevices.deviceId, devices.id))
    .where(and(eq(devices.projectId, projectId), eq(devices.serialNumber, serialNumber), isNull(devices.deletedAt)))
  return found
}

/** Whether the device has a valid token of its own. */
export const hasOwnToken = async (tx: Tx, deviceId: string, now: Date): Promise<boolean> => {
  const valid = or(isNull(deviceTokens.expiresAt), gt(deviceTokens.expiresAt, now))
  const [found] = await tx
    .select({ one: sql`1` })
    .from(deviceTokens)
    .where(and(eq(deviceTokens.deviceId, deviceId), valid))
    .limit(1)
  return found !== undefined
}

export const findDdiDevice = async (tx: Tx, deviceId: string): Promise<DdiDeviceRow | undefined> => {
  const [known] = await tx.select().from(ddiDevices).where(eq(ddiDevices.deviceId, deviceId))
  return known
}

/** What DDI knows about a device; made at its first contact. `device` is locked by the caller. */
export const getDdiDevice = async (tx: Tx, { id: deviceId, projectId }: Owner): Promise<DdiDeviceRow> => {
  const known = await findDdiDevice(tx, deviceId)
  if (known) return known
  const [made] = await tx.insert(ddiDevices).values({ deviceId, projectId }).returning()
  if (!made) throw new Error('an inserted device is not there')
  return made
}

export const updateDdiDevice = async (tx: Tx, deviceId: string, set: Partial<DdiDeviceRow>): Promise<void> => {
  await tx.update(ddiDevices).set(set).where(eq(ddiDevices.deviceId, deviceId))
}
