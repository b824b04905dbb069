import { endUnconfirmed } from '../../../../contract/ddi/confirm'
import { type FailureCode, retryDelaySeconds } from '../../../../contract/device/update-events'
import { clientOf } from '../../../../contract/fleet/hardware-models'
import type { ProjectSettings } from '../../../../contract/accounts/projects'
import { confirmWithinS } from '../../../fleet/devices/next-poll'
import { deviceUpdateMoves } from '../../../../machines/device-update/device-update.machine'
import type { Tx } from '../../../core/database/tx'
import type { RolloutRow } from '../rows/rollout-rows.repository'
import { emitUpdateEnd } from '../../device-updates/emit-end'
import { quarantineIfDue } from '../../device-updates/quarantine'
import { updateDeviceUpdate, updateUnchangedDeviceUpdate } from '../../device-updates/repository'
import { recordServerEvents } from '../../device-updates/server-events.repository'
import { secondsAfter } from '../../../core/days'
import { activeStates } from '../offer/counts'
import { backOffS, deadlineOf, shortestLimitS } from './deadlines'
import { findReleaseVersion } from '../plan/releases.repository'
import { listRetryableUpdates, listRunningUpdates, lostCodes, type MayBeLate, type RunningUpdate } from './timeouts.repository'

// Each takes a few statements under the lock of the rollout; the others follow at the next tick, two seconds later.
const atOnce = 500

/** How an update ends whose device was silent for too long, or has not shown that it runs the release. */
const endOf = ({ update: { state, evidence }, protocol, hardwareModel }: RunningUpdate, { hardware_models }: ProjectSettings) => {
  if (state !== 'claimed' && !(state === 'rebooting' && protocol === 'ddi'))
    return { state: 'timed_out', errorCode: `timed_out_${state}`, text: `No report while ${state}` } as const
  const { version_attribute: attribute } = clientOf(hardware_models, hardwareModel)
  const end = endUnconfirmed(evidence?.matches ?? 'none')
  const text = end.state === 'rolled_back' ? `Reports ${attribute} ${evidence?.version}` : `Not confirmed by ${attribute} in time`
  return { ...end, errorCode: end.code, text }
}

const giveUp = async (tx: Tx, row: RolloutRow, settings: ProjectSettings, running: RunningUpdate, version: number, now: Date) => {
  const { update } = running
  const { text, errorCode, ...end } = endOf(running, settings)
  const state = deviceUpdateMoves.next(update.state, `update.${end.state}`)
  const ended = { state, since: now, reason: text, errorCode, errorText: text }
  if (!(await updateUnchangedDeviceUpdate(tx, update, ended))) return
  await emitUpdateEnd(tx, running, { ...update, ...ended }, { id: row.releaseId, version }, now)
  const { projectId, deviceId, rolloutId, attempt } = update
  const type = end.state === 'rolled_back' ? ('rollback_completed' as const) : ('update_timed_out' as const)
  const event = { projectId, deviceId, rolloutId, releaseId: row.releaseId, version, attempt, type, message: text }
  const reasonCode = 'code' in end ? end.code : null
  await recordServerEvents(tx, [{ ...event, reasonCode, fromState: update.state, toState: state }], now)
  // A quarantine of the former release would keep the device on the one that is rolled back.
  if (row.rollsBackId === null || !lostCodes.includes(errorCode))
    await quarantineIfDue(tx, settings, { projectId, deviceId, releaseId: row.releaseId }, now)
}

// Of devices, by the contract.
const shortestPollingS = 30

/** Since when an update must be in each state to be late with the shortest limits of the project: a tick reads no others. */
const mayBeLate = (settings: ProjectSettings, now: Date): MayBeLate[] => {
  const { update_timeout_s: updateTimeoutS, hardware_models: models } = settings
  const limits = {
    pollingIntervalS: Math.min(shortestPollingS, settings.polling_interval_s),
    updateTimeoutS,
    confirmWithinS: Math.min(...['', ...models.map(({ id }) => id)].map((id) => confirmWithinS(clientOf(models, id)))),
  }
  return activeStates.flatMap((state) => {
    const shortest = (['teasel', 'ddi'] as const).flatMap((protocol) => shortestLimitS(state, { ...limits, protocol }) ?? [])
    if (shortest.length === 0) return []
    return [{ state, since: secondsAfter(now, -Math.min(...shortest)), offered: secondsAfter(now, -updateTimeoutS) }]
  })
}

/** Ends updates whose device has been silent for longer than their time limit. */
export const timeOutUpdates = async (tx: Tx, row: RolloutRow, settings: ProjectSettings, now: Date): Promise<void> => {
  const rows = await listRunningUpdates(tx, row.id, mayBeLate(settings, now))
  const late = rows.filter(({ update, protocol, pollingIntervalS, hardwareModel }) => {
    const limits = {
      protocol,
      pollingIntervalS: pollingIntervalS ?? settings.polling_interval_s,
      updateTimeoutS: settings.update_timeout_s,
      confirmWithinS: confirmWithinS(clientOf(settings.hardware_models, hardwareModel)),
    }
    const deadline = deadlineOf(update, limits)
    return deadline !== null && deadline <= now
  })
  if (late.length === 0) return
  const version = (await findReleaseVersion(tx, row.releaseId)) ?? 0
  for (const one of late.slice(0, atOnce)) await giveUp(tx, row, settings, one, version, now)
}

/** Queues updates again that failed for a transient reason, after their back-off. */
export const retry = async (tx: Tx, row: RolloutRow, now: Date): Promise<void> => {
  const rows = await listRetryableUpdates(tx, row.id, atOnce)
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
