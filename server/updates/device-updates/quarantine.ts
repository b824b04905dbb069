import type { ProjectSettings } from '../../../contract/accounts/projects'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'
import { type DeviceRow, updateDeviceQuarantine } from '../../fleet/devices/repository'
import { countFailures } from './events.repository'

type Failed = { projectId: string; deviceId: string; releaseId: string }

/**
 * After `device_failure_threshold` failed attempts of one release, none of it is offered for `quarantine_s`. Counts the stored
 * events, so call it after storing the failure.
 */
export const quarantineIfDue = async (
  tx: Tx,
  { device_failure_threshold, quarantine_s }: ProjectSettings,
  { projectId, deviceId, releaseId }: Failed,
  now: Date,
): Promise<void> => {
  if (quarantine_s === 0) return
  const n = await countFailures(tx, { id: deviceId, projectId }, releaseId)
  if (n < device_failure_threshold) return
  const reason = `${n} failed ${n === 1 ? 'attempt' : 'attempts'} of one release`
  await updateDeviceQuarantine(tx, deviceId, { until: secondsAfter(now, quarantine_s), reason, releaseId })
}

/** A device that runs a release after all, such as one that confirms it late, is in no quarantine for it. */
export const endQuarantineOf = async (
  tx: Tx,
  { id, quarantineReleaseId }: Pick<DeviceRow, 'id' | 'quarantineReleaseId'>,
  releaseId: string,
): Promise<void> => {
  if (quarantineReleaseId === releaseId) await updateDeviceQuarantine(tx, id, { until: null, reason: null, releaseId: null })
}
