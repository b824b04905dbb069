import { and, eq, isNull } from 'drizzle-orm'
import type { Tx } from '../core/database/tx'
import type { DeviceRow } from '../fleet/devices/repository'
import { devices, enrollmentTokens } from '../fleet/schema/devices'
import { ddiDevices } from './schema/ddi'

export type DdiDeviceRow = typeof ddiDevices.$inferSelect
type Owner = Pick<DeviceRow, 'id' | 'projectId'>

/** The device with this serial number, and the gateway token or authority by which it was registered. */
export const findController = async (tx: Tx, projectId: string, serialNumber: string) => {
  const [found] = await tx
    .select({
      id: devices.id,
      name: devices.name,
      protocol: devices.protocol,
      lifecycle: devices.lifecycle,
      gatewayTokenId: ddiDevices.gatewayTokenId,
      authority: enrollmentTokens.authority,
    })
    .from(devices)
    .leftJoin(ddiDevices, eq(ddiDevices.deviceId, devices.id))
    .leftJoin(enrollmentTokens, eq(enrollmentTokens.id, ddiDevices.gatewayTokenId))
    .where(and(eq(devices.projectId, projectId), eq(devices.serialNumber, serialNumber), isNull(devices.deletedAt)))
  return found
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

/** The number of the last action and the reports follow a device that is moved to another project; its gateway token does not. */
export const copyDdiDevice = async (tx: Tx, fromId: string, { id: deviceId, projectId }: Owner): Promise<void> => {
  const known = await findDdiDevice(tx, fromId)
  if (!known) return
  const copy = { ...known, deviceId, projectId, gatewayTokenId: null }
  await tx.insert(ddiDevices).values(copy).onConflictDoUpdate({ target: ddiDevices.deviceId, set: copy })
}
