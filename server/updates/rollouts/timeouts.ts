import { and, eq, inArray, lte, or } from 'drizzle-orm'
import { type FailureCode, failureCodes, isRetryable, retryDelaySeconds } from '../../../contract/device/update-events'
import type { ProjectSettings } from '../../../contract/projects'
import { deviceUpdateMoves } from '../../../machines/device-update/device-update.machine'
import { devices } from '../../fleet/schema/devices'
import { releases } from '../schema/releases'
import { rolloutDevices } from '../schema/rollouts'
import type { Tx } from '../../core/database/tx'
import type { RolloutRow } from './rollout-rows.repository'
import { quarantineIfDue } from '../device-updates/quarantine'
import { recordServerEvents } from '../device-updates/server-events.repository'
import { activeStates } from './counts'
import { backOffS, deadlineOf } from './deadlines'

type Update = typeof rolloutDevices.$inferSelect

const one = ({ rolloutId, deviceId }: Update) =>
  and(eq(rolloutDevices.rolloutId, rolloutId), eq(rolloutDevices.deviceId, deviceId))

// Each takes a few statements under the lock of the rollout; the others follow at the next tick, two seconds later.
const atOnce = 500

const giveUp = async (tx: Tx, row: RolloutRow, settings: ProjectSettings, update: Update, version: number, now: Date) => {
  const text = `No report while ${update.state}`
  const state = deviceUpdateMoves.next(update.state, 'update.timed_out')
  await tx
    .update(rolloutDevices)
    .set({ state, since: now, reason: text, errorCode: `timed_out_${update.state}`, errorText: text })
    .where(one(update))
  const { projectId, deviceId, rolloutId, attempt } = update
  const event = { projectId, deviceId, rolloutId, releaseId: row.releaseId, version, attempt, message: text }
  const timedOut = { ...event, type: 'update_timed_out' as const, fromState: update.state, toState: state }
  await recordServerEvents(tx, [timedOut], now)
  await quarantineIfDue(tx, settings, { projectId, deviceId, releaseId: row.releaseId }, now)
}

/** Ends updates whose device has been silent for longer than their time limit. */
export const timeOutUpdates = async (tx: Tx, row: RolloutRow, settings: ProjectSettings, now: Date): Promise<void> => {
  const rows = await tx
    .select({ update: rolloutDevices, poll: devices.pollingIntervalS })
    .from(rolloutDevices)
    .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
    .where(and(eq(rolloutDevices.rolloutId, row.id), inArray(rolloutDevices.state, activeStates)))
  const late = rows.filter(({ update, poll }) => {
    const limits = { pollingIntervalS: poll ?? settings.polling_interval_s, updateTimeoutS: settings.update_timeout_s }
    const deadline = deadlineOf(update, limits)
    return deadline !== null && deadline <= now
  })
  if (late.length === 0) return
  const [release] = await tx.select({ version: releases.version }).from(releases).where(eq(releases.id, row.releaseId))
  for (const { update } of late.slice(0, atOnce)) await giveUp(tx, row, settings, update, release?.version ?? 0, now)
}

const isLost = and(
  eq(rolloutDevices.state, 'timed_out'),
  inArray(rolloutDevices.errorCode, ['timed_out_offered', 'timed_out_downloading']),
)
const mayPass = and(
  inArray(rolloutDevices.state, ['failed', 'timed_out']),
  inArray(rolloutDevices.errorCode, failureCodes.filter(isRetryable)),
)

/** Queues updates again that failed for a transient reason, after their back-off, if attempts are left. */
export const retry = async (tx: Tx, row: RolloutRow, now: Date): Promise<void> => {
  const hasAttempts = lte(rolloutDevices.attempt, row.retries)
  const rows = await tx
    .select()
    .from(rolloutDevices)
    .where(and(eq(rolloutDevices.rolloutId, row.id), hasAttempts, or(isLost, mayPass)))
    .limit(atOnce)
  for (const update of rows) {
    const wait = Math.max(backOffS(update.attempt), retryDelaySeconds((update.errorCode ?? 'internal') as FailureCode))
    await tx
      .update(rolloutDevices)
      .set({
        state: deviceUpdateMoves.next(update.state, 'update.retried'),
        since: now,
        attempt: update.attempt + 1,
        notBefore: new Date(now.getTime() + wait * 1000),
        reason: update.errorText ?? update.errorCode,
      })
      .where(one(update))
  }
}
