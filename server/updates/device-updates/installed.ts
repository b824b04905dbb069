import { and, desc, eq } from 'drizzle-orm'
import { devices, installations } from '../../fleet/schema/devices'
import { releases } from '../schema/releases'
import type { Tx } from '../../core/database/tx'
import { nextId } from '../../core/ids'

type DeviceRow = typeof devices.$inferSelect
export type Running = { releaseId: string | null; version: number; slot: 'a' | 'b' | null; confirmed: boolean }

const isSame = (device: DeviceRow, { releaseId, version, slot }: Running) =>
  device.installedReleaseId === releaseId && device.installedVersion === version && device.installedSlot === slot

/** The release by its id; one of another project counts as unknown. */
const releaseOf = async (tx: Tx, { projectId }: DeviceRow, releaseId: string | null) => {
  if (releaseId === null) return undefined
  const own = and(eq(releases.id, releaseId), eq(releases.projectId, projectId))
  const [release] = await tx.select().from(releases).where(own)
  return release
}

const confirm = async (tx: Tx, device: DeviceRow, { confirmed }: Running) => {
  if (device.installedConfirmed === confirmed) return
  await tx.update(devices).set({ installedConfirmed: confirmed }).where(eq(devices.id, device.id))
  const newest = tx
    .select({ id: installations.id })
    .from(installations)
    .where(eq(installations.deviceId, device.id))
    .orderBy(desc(installations.id))
    .limit(1)
  await tx.update(installations).set({ confirmed }).where(eq(installations.id, newest))
}

/** Records what a device runs, if it has changed. */
export const recordInstalled = async (tx: Tx, device: DeviceRow, running: Running, now: Date): Promise<void> => {
  if (isSame(device, running)) return confirm(tx, device, running)
  const release = await releaseOf(tx, device, running.releaseId)
  const releaseId = release?.id ?? null
  if (isSame(device, { ...running, releaseId })) return confirm(tx, device, running)
  const { version, slot, confirmed } = running
  const facts = { releaseId, name: release?.name ?? null, displayVersion: release?.displayVersion ?? null }
  await tx.insert(installations).values({
    id: nextId(now),
    projectId: device.projectId,
    deviceId: device.id,
    ...facts,
    version,
    installedAt: now,
    slot,
    confirmed,
  })
  await tx
    .update(devices)
    .set({
      installedReleaseId: facts.releaseId,
      installedName: facts.name,
      installedDisplayVersion: facts.displayVersion,
      installedVersion: version,
      installedAt: now,
      installedSlot: slot,
      installedConfirmed: confirmed,
    })
    .where(eq(devices.id, device.id))
}
