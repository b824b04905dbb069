import type { Tx } from '../../core/database/tx'
import { insertInstallation, updateNewestInstallation } from '../../fleet/devices/installations.repository'
import { type DeviceRow, updateReportedFacts } from '../../fleet/devices/repository'
import { findReleaseOfProject } from '../releases/repository'

export type Running = { releaseId: string; version: number; slot: 'a' | 'b' | null; confirmed: boolean }

const isSameBuild = (device: DeviceRow, { version, slot }: Running) =>
  device.installedVersion === version && device.installedSlot === slot

const confirm = async (tx: Tx, device: DeviceRow, { releaseId, confirmed }: Running) => {
  if (device.reportedReleaseId === releaseId && device.installedConfirmed === confirmed) return
  await updateReportedFacts(tx, device.id, { reportedReleaseId: releaseId, installedConfirmed: confirmed })
  if (device.installedConfirmed !== confirmed) await updateNewestInstallation(tx, device.id, { confirmed })
}

const nothing = {
  reportedReleaseId: null,
  installedReleaseId: null,
  installedName: null,
  installedDisplayVersion: null,
  installedVersion: null,
  installedAt: null,
  installedSlot: null,
  installedConfirmed: false,
} as const

/** Records that a device runs something that is no release of its project. */
export const recordUnknownInstalled = (tx: Tx, device: DeviceRow): Promise<void> => updateReportedFacts(tx, device.id, nothing)

/** Records what a device runs, if it has changed. */
export const recordInstalled = async (tx: Tx, device: DeviceRow, running: Running, now: Date): Promise<void> => {
  const { version, slot, confirmed } = running
  if (device.reportedReleaseId === running.releaseId && isSameBuild(device, running)) return confirm(tx, device, running)
  const release = await findReleaseOfProject(tx, device.projectId, running.releaseId)
  const facts = { releaseId: release?.id ?? null, name: release?.name ?? null, displayVersion: release?.displayVersion ?? null }
  if (device.installedReleaseId === facts.releaseId && isSameBuild(device, running)) return confirm(tx, device, running)
  await insertInstallation(tx, { projectId: device.projectId, deviceId: device.id, ...facts, version, slot, confirmed }, now)
  await updateReportedFacts(tx, device.id, {
    reportedReleaseId: running.releaseId,
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
  if (device.installedVersion !== null) await updateReportedFacts(tx, device.id, nothing)
}
