import type { Tx } from '../../core/database/tx'
import { insertInstallation, updateNewestInstallation } from '../../fleet/devices/installations.repository'
import { type DeviceRow, updateReportedFacts } from '../../fleet/devices/repository'
import { findReleaseOfProject } from '../releases/repository'

export type Running = { releaseId: string | null; version: number; slot: 'a' | 'b' | null; confirmed: boolean }

const isSame = (device: DeviceRow, { releaseId, version, slot }: Running) =>
  device.installedReleaseId === releaseId && device.installedVersion === version && device.installedSlot === slot

const confirm = async (tx: Tx, device: DeviceRow, { confirmed }: Running) => {
  if (device.installedConfirmed === confirmed) return
  await updateReportedFacts(tx, device.id, { installedConfirmed: confirmed })
  await updateNewestInstallation(tx, device.id, { confirmed })
}

/** Records that a device runs something that is no release of its project. */
export const recordUnknownInstalled = (tx: Tx, device: DeviceRow): Promise<void> =>
  updateReportedFacts(tx, device.id, {
    installedReleaseId: null,
    installedName: null,
    installedDisplayVersion: null,
    installedVersion: null,
    installedAt: null,
    installedSlot: null,
    installedConfirmed: false,
  })

/** Records what a device runs, if it has changed. */
export const recordInstalled = async (tx: Tx, device: DeviceRow, running: Running, now: Date): Promise<void> => {
  if (isSame(device, running)) return confirm(tx, device, running)
  const release = running.releaseId === null ? undefined : await findReleaseOfProject(tx, device.projectId, running.releaseId)
  const releaseId = release?.id ?? null
  if (isSame(device, { ...running, releaseId })) return confirm(tx, device, running)
  const { version, slot, confirmed } = running
  const facts = { releaseId, name: release?.name ?? null, displayVersion: release?.displayVersion ?? null }
  await insertInstallation(tx, { projectId: device.projectId, deviceId: device.id, ...facts, version, slot, confirmed }, now)
  await updateReportedFacts(tx, device.id, {
    installedReleaseId: facts.releaseId,
    installedName: facts.name,
    installedDisplayVersion: facts.displayVersion,
    installedVersion: version,
    installedAt: now,
    installedSlot: slot,
    installedConfirmed: confirmed,
  })
}

/** Records that a device runs no release any more: its storage was replaced or reset. */
export const recordNothingInstalled = async (tx: Tx, device: DeviceRow): Promise<void> => {
  if (device.installedVersion === null) return
  await updateReportedFacts(tx, device.id, {
    installedReleaseId: null,
    installedName: null,
    installedDisplayVersion: null,
    installedVersion: null,
    installedAt: null,
    installedSlot: null,
    installedConfirmed: false,
  })
}
