import { compareBoot } from '../../../../contract/ddi/confirm'
import type { Tx } from '../../../core/database/tx'
import type { DeviceRow } from '../../../fleet/devices/repository'
import { emitUpdateEnd } from '../../device-updates/emit-end'
import { type DeviceUpdateRow, updateDeviceUpdate } from '../../device-updates/repository'
import { endQuarantineOf } from '../../device-updates/quarantine'
import { recordServerEvents } from '../../device-updates/server-events.repository'
import type { ReleaseRow } from '../../releases/repository'
import { listFinishedLate } from './late-success.repository'
import type { RolloutRow } from '../rows/rollout-rows.repository'

type Candidate = { update: DeviceUpdateRow; release: ReleaseRow }

export const hasRelease = ({ installedReleaseId, installedConfirmed }: DeviceRow, { release }: Candidate): boolean =>
  installedReleaseId === release.id && installedConfirmed

/** Its last reports were lost, or came after its time limit: the reported version shows that the update has succeeded. */
export const succeedByVersion = async (tx: Tx, device: DeviceRow, { update, release }: Candidate, now: Date): Promise<void> => {
  const boot = compareBoot(update.offerBootId, device.bootId)
  const evidence = {
    by: device.protocol === 'ddi' ? ('version' as const) : ('agent' as const),
    version: `${release.version}`,
    matches: 'target' as const,
    boot,
    at: now.toISOString(),
  }
  const failure = { reason: null, errorCode: null, errorText: null }
  const abortAsked = update.abortAsked || update.state === 'timed_out'
  await updateDeviceUpdate(tx, update, { state: 'succeeded', since: now, progress: 100, evidence, abortAsked, ...failure })
  await emitUpdateEnd(tx, device, { ...update, ...failure, state: 'succeeded' }, release, now)
  await endQuarantineOf(tx, device, release.id)
}

/**
 * Counts the devices of a rollout as updated whose update had timed out and that show since that they run its release: they
 * were only silent.
 */
export const confirmLate = async (tx: Tx, { id }: RolloutRow, now: Date): Promise<void> => {
  for (const { device, ...found } of await listFinishedLate(tx, id)) {
    const { update, release } = found
    const { projectId, deviceId, rolloutId, attempt, state: fromState } = update
    await succeedByVersion(tx, device, found, now)
    const event = { projectId, deviceId, rolloutId, releaseId: release.id, version: release.version, attempt, fromState }
    const message = 'The device runs the release: it was silent for longer than its time limit'
    await recordServerEvents(tx, [{ ...event, type: 'update_confirmed', toState: 'succeeded', message }], now)
  }
}
