import { and, asc, count, eq, isNull, notInArray, sql } from 'drizzle-orm'
import type { Tx } from '../core/database/tx'
import { hasNoOwnToken } from '../fleet/devices/device-token.repository'
import type { DeviceRow } from '../fleet/devices/repository'
import type { EnrollmentTokenRow } from '../fleet/enrollment/repository'
import { devices, enrollmentTokens } from '../fleet/schema/devices'
import { ddiDevices } from './schema/ddi'

export type DdiDeviceRow = typeof ddiDevices.$inferSelect
type Owner = Pick<DeviceRow, 'id' | 'projectId'>

/**
 * The devices that authenticate with an enrollment token, or with certificates of its authority, by name: how many, and the first
 * ones. Those with a token of their own use that one (authenticate.ts).
 */
export const listDevicesOfToken = async (
  tx: Tx,
  { id, projectId, authority }: Pick<EnrollmentTokenRow, 'id' | 'projectId' | 'authority'>,
  most: number,
  now: Date,
): Promise<{ total: number; devices: { id: string; name: string }[] }> => {
  const registeredBy = authority === null ? eq(enrollmentTokens.id, id) : eq(enrollmentTokens.authority, authority)
  const found = tx
    .select({ id: devices.id, name: devices.name })
    .from(devices)
    .innerJoin(ddiDevices, eq(ddiDevices.deviceId, devices.id))
    .innerJoin(enrollmentTokens, eq(enrollmentTokens.id, ddiDevices.gatewayTokenId))
    .where(
      and(
        eq(devices.projectId, projectId),
        eq(devices.protocol, 'ddi'),
        isNull(devices.deletedAt),
        // The others are refused already.
        notInArray(devices.lifecycle, ['decommissioned', 'rejected']),
        registeredBy,
        hasNoOwnToken(tx, now),
      ),
    )
    .as('found')
  const [total] = await tx.select({ n: count() }).from(found)
  const first = await tx
    .select()
    .from(found)
    .orderBy(asc(sql`lower(${found.name})`), asc(found.id))
    .limit(most)
  return { total: total?.n ?? 0, devices: first }
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
