import {
  compareBoot,
  compareVersion,
  awaitsConfirmation,
  isConfirmedByClient,
  judgeEvidence,
  type UpdateEvidence,
} from '../../../contract/ddi/confirm'
import type { UpdateState } from '../../../contract/device/update-events'
import { clientOf } from '../../../contract/fleet/hardware-models'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import { deviceUpdateMoves } from '../../../machines/device-update/device-update.machine'
import type { Tx } from '../../core/database/tx'
import { type DeviceRow, updateReportedFacts } from '../../fleet/devices/repository'
import { recordBoots } from '../../fleet/telemetry/boots'
import { findReleaseByText, type ReleaseRow } from '../releases/repository'
import { emitUpdateEnd } from './emit-end'
import { recordInstalled, recordUnknownInstalled } from './installed'
import { quarantineIfDue } from './quarantine'
import { type DeviceUpdateRow, lockRunningUpdate, updateDeviceUpdate } from './repository'
import { recordServerEvents } from './server-events.repository'

type Update = { row: DeviceUpdateRow; release: ReleaseRow }
/** What a device says about itself: the text of its version attribute and its boot id, null if it did not send them. */
export type SelfReport = { version: string | null; bootId: string | null }

const eventOf = ({ row, release }: Update) => ({
  projectId: row.projectId,
  deviceId: row.deviceId,
  rolloutId: row.rolloutId,
  releaseId: release.id,
  version: release.version,
  attempt: row.attempt,
  fromState: row.state,
})

const succeed = async (
  tx: Tx,
  device: DeviceRow,
  update: Update,
  { message, evidence, bootId }: { message: string; evidence: UpdateEvidence; bootId: string | null },
  now: Date,
) => {
  const { row, release } = update
  const state = deviceUpdateMoves.next(row.state, 'update.succeeded')
  await updateDeviceUpdate(tx, row, {
    state,
    since: now,
    reason: null,
    progress: 100,
    evidence,
    errorCode: null,
    errorText: null,
  })
  await emitUpdateEnd(tx, device, { ...row, state, errorCode: null, errorText: null }, release, now)
  await recordServerEvents(tx, [{ ...eventOf(update), type: 'update_confirmed', toState: state, message, bootId }], now)
  await recordInstalled(tx, device, { releaseId: release.id, version: release.version, slot: null, confirmed: true }, now)
}

const fallBack = async (
  tx: Tx,
  device: DeviceRow,
  settings: ProjectSettings,
  update: Update,
  { message, evidence, bootId }: { message: string; evidence: UpdateEvidence; bootId: string | null },
  now: Date,
) => {
  const { row, release } = update
  const state = deviceUpdateMoves.next(row.state, 'update.rolled_back')
  const failure = { reason: null, errorCode: 'boot_failed', errorText: message }
  await updateDeviceUpdate(tx, row, { state, since: now, evidence, ...failure })
  await emitUpdateEnd(tx, device, { ...row, state, ...failure }, release, now)
  const event = { ...eventOf(update), type: 'rollback_completed' as const, toState: state }
  await recordServerEvents(tx, [{ ...event, reasonCode: 'boot_failed', message, bootId }], now)
  await quarantineIfDue(tx, settings, { projectId: row.projectId, deviceId: row.deviceId, releaseId: release.id }, now)
}

const bootTexts = { new: 'after a restart', same: 'without a restart', never: 'without a boot id' } as const

const judge = async (
  tx: Tx,
  device: DeviceRow,
  settings: ProjectSettings,
  update: Update,
  { version, bootId }: SelfReport,
  now: Date,
) => {
  const { row, release } = update
  // What it said before the offer, too, is no evidence of the installation.
  const isNews = version === null || version !== row.offerVersionText
  const matches = isNews || compareVersion(version, release) === 'other' ? compareVersion(version, release) : 'none'
  const boot = compareBoot(row.offerBootId, bootId)
  const evidence = { by: 'version' as const, version, matches, boot, at: now.toISOString() }
  const { version_attribute } = clientOf(settings.hardware_models, device.hardwareModel)
  const found = { message: `Reports ${version_attribute} ${version} ${bootTexts[boot]}`, evidence, bootId }
  const result = judgeEvidence({ state: row.state, version: matches, boot, reboot: release.reboot })
  if (result === 'succeeded') return succeed(tx, device, update, found, now)
  if (result === 'rolled_back') return fallBack(tx, device, settings, update, found, now)
  if (awaitsConfirmation(row.state)) {
    // Of an unknown boot, the first one that is known after the installation is compared with later ones.
    const known = row.offerBootId === null && bootId !== null ? { offerBootId: bootId } : {}
    if (matches !== 'none') await updateDeviceUpdate(tx, row, { evidence, ...known })
  } else if (bootId !== null && (row.offerBootId === null || row.state === 'offered'))
    // It has fetched nothing yet: what was known at the offer was older.
    await updateDeviceUpdate(tx, row, { offerBootId: bootId })
}

/**
 * A client that reports that it works on an update, after a restart that was none after the installation: its boot from now on is
 * compared with this one. `before`: its state before the report. Without a boot at the offer, the last one may be older, too.
 */
export const recordInstallingBoot = async (
  tx: Tx,
  { bootId }: Pick<DeviceRow, 'bootId'>,
  before: Pick<DeviceUpdateRow, 'rolloutId' | 'deviceId' | 'state' | 'offerBootId'>,
): Promise<void> => {
  if (bootId === null || before.offerBootId === null || bootId === before.offerBootId || awaitsConfirmation(before.state)) return
  await updateDeviceUpdate(tx, before, { offerBootId: bootId })
}

const recordReportedVersion = async (tx: Tx, device: DeviceRow, text: string, now: Date) => {
  const release = await findReleaseByText(tx, device, text)
  if (!release) return recordUnknownInstalled(tx, device)
  await recordInstalled(tx, device, { releaseId: release.id, version: release.version, slot: null, confirmed: true }, now)
}

/**
 * What a device with another client says about itself: evidence for its running update, and what it runs. `device` is locked by
 * the caller.
 */
export const recordSelfReport = async (
  tx: Tx,
  device: DeviceRow,
  settings: ProjectSettings,
  report: SelfReport,
  now: Date,
): Promise<void> => {
  const { version, bootId } = report
  if (bootId !== null && bootId !== device.bootId) {
    await updateReportedFacts(tx, device.id, { bootId })
    await recordBoots(tx, { projectId: device.projectId, deviceId: device.id }, [{ bootId, tsMs: now.getTime() }], now)
  }
  const update = await lockRunningUpdate(tx, device.id)
  if (update) await judge(tx, device, settings, update, report, now)
  // Of a running update, the target version is believed only by the evidence above.
  const isTarget = update !== undefined && compareVersion(version, update.release) === 'target'
  if (version !== null && version !== '' && !isTarget) await recordReportedVersion(tx, device, version, now)
}

/** After a claim: the update has succeeded if its hardware model asks for no more than the word of the client. */
export const confirmByClient = async (
  tx: Tx,
  device: DeviceRow,
  settings: ProjectSettings,
  update: Update,
  from: UpdateState,
  now: Date,
): Promise<void> => {
  const { bytesDone, bytesTotal } = update.row
  const client = clientOf(settings.hardware_models, device.hardwareModel)
  if (!isConfirmedByClient({ from, client, bytesServed: bytesDone, size: bytesTotal ?? 0 })) return
  const boot = compareBoot(update.row.offerBootId, device.bootId)
  const evidence = { by: 'client' as const, version: null, matches: 'none' as const, boot, at: now.toISOString() }
  await succeed(tx, device, update, { message: "By the client's word", evidence, bootId: null }, now)
}
