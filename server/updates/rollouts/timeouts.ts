import { type FailureCode, retryDelaySeconds } from '../../../contract/device/update-events'
import type { ProjectSettings } from '../../../contract/projects'
import { deviceUpdateMoves } from '../../../machines/device-update/device-update.machine'
import type { Tx } from '../../core/database/tx'
import type { RolloutRow } from './rollout-rows.repository'
import { quarantineIfDue } from '../device-updates/quarantine'
import { type DeviceUpdateRow, updateDeviceUpdate } from '../device-updates/repository'
import { recordServerEvents } from '../device-updates/server-events.repository'
import { backOffS, deadlineOf } from './deadlines'
import { findReleaseVersion } from './releases.repository'
import { listRetryableUpdates, listRunningUpdates } from './timeouts.repository'

// Each takes a few statements under the lock of the rollout; the others follow at the next tick, two seconds later.
const atOnce = 500

const giveUp = async (
  tx: Tx,
  row: RolloutRow,
  settings: ProjectSettings,
  update: DeviceUpdateRow,
  version: number,
  now: Date,
) => {
  const text = `No report while ${update.state}`
  const state = deviceUpdateMoves.next(update.state, 'update.timed_out')
  const errorCode = `timed_out_${update.state}`
  await updateDeviceUpdate(tx, update, { state, since: now, reason: text, errorCode, errorText: text })
  const { projectId, deviceId, rolloutId, attempt } = update
  const event = { projectId, deviceId, rolloutId, releaseId: row.releaseId, version, attempt, message: text }
  const timedOut = { ...event, type: 'update_timed_out' as const, fromState: update.state, toState: state }
  await recordServerEvents(tx, [timedOut], now)
  await quarantineIfDue(tx, settings, { projectId, deviceId, releaseId: row.releaseId }, now)
}

/** Ends updates whose device has been silent for longer than their time limit. */
export const timeOutUpdates = async (tx: Tx, row: RolloutRow, settings: ProjectSettings, now: Date): Promise<void> => {
  const rows = await listRunningUpdates(tx, row.id)
  const late = rows.filter(({ update, poll }) => {
    const limits = { pollingIntervalS: poll ?? settings.polling_interval_s, updateTimeoutS: settings.update_timeout_s }
    const deadline = deadlineOf(update, limits)
    return deadline !== null && deadline <= now
  })
  if (late.length === 0) return
  const version = (await findReleaseVersion(tx, row.releaseId)) ?? 0
  for (const { update } of late.slice(0, atOnce)) await giveUp(tx, row, settings, update, version, now)
}

/** Queues updates again that failed for a transient reason, after their back-off, if attempts are left. */
export const retry = async (tx: Tx, row: RolloutRow, now: Date): Promise<void> => {
  const rows = await listRetryableUpdates(tx, row, atOnce)
  for (const update of rows) {
    const wait = Math.max(
      backOffS(update.attempt, row.backoff),
      retryDelaySeconds((update.errorCode ?? 'internal') as FailureCode),
    )
    await updateDeviceUpdate(tx, update, {
      state: deviceUpdateMoves.next(update.state, 'update.retried'),
      since: now,
      attempt: update.attempt + 1,
      notBefore: new Date(now.getTime() + wait * 1000),
      reason: update.errorText ?? update.errorCode,
    })
  }
}
