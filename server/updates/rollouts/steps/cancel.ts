import { rolloutMoves, rolloutStateOf } from '../../../../machines/rollout/rollout.machine'
import { recordSystemEvent } from '../../../accounts/audit/system'
import type { Tx } from '../../../core/database/tx'
import type { CancelRollouts, HaltRollouts, ListOpenRollouts } from '../../releases/callbacks'
import { notFound, refuse } from '../../../core/http/refuse'
import { beginBulkChange } from '../run/bulk-changes'
import { countLeft } from '../run/bulk-changes.repository'
import { type RolloutRow, updateRollout } from '../rows/rollout-rows.repository'
import { insertTimelineEntry } from '../rows/timeline.repository'
import { transitionRollout } from '../run/transitions'
import { listRolloutsOfReleases, lockRolloutsOfReleases } from './cancel.repository'

const countToStop = (tx: Tx, rolloutId: string) =>
  countLeft(tx, rolloutId, { kind: 'ask_abort', at: '', reason: null, after: '' })

/** Ends the updates that have not begun. */
export const cancelWaiting = (tx: Tx, rolloutId: string, reason: string, now: Date): Promise<void> =>
  beginBulkChange(tx, rolloutId, { kind: 'cancel_waiting', reason, now })

/** Devices get it in the answer to their next report. */
export const requestAbort = (tx: Tx, rolloutId: string, now: Date): Promise<void> =>
  beginBulkChange(tx, rolloutId, { kind: 'ask_abort', now })

export type Stop = { reason: string; mode: 'stop_new' | 'abort_all'; by: string | null; now: Date }

/** The running updates of a rollout that was cancelled without them. */
const stopRunning = async (tx: Tx, row: RolloutRow, { reason, by, now }: Stop): Promise<RolloutRow> => {
  if ((await countToStop(tx, row.id)) === 0)
    refuse(409, 'conflict', {
      message: 'The devices of this rollout have been asked to stop already',
      about: { state: row.phase },
    })
  await requestAbort(tx, row.id, now)
  const text = reason === '' ? 'Devices are asked to stop' : `Devices are asked to stop: ${reason}`
  await insertTimelineEntry(tx, row, { at: now, kind: 'updates.stopped', text, by })
  return (await updateRollout(tx, row.id, { stateReason: reason || row.stateReason }, now)) ?? notFound()
}

/**
 * Cancels one rollout: it is not offered any more, and running updates finish or are asked to stop. Those that were left to finish
 * can still be stopped.
 */
export const cancelRollout = async (tx: Tx, row: RolloutRow, stop: Stop): Promise<RolloutRow> => {
  const { reason, mode, by, now } = stop
  if (row.phase === 'cancelling' && mode === 'abort_all') return stopRunning(tx, row, stop)
  const text = reason === '' ? 'Cancelled' : `Cancelled: ${reason}`
  const after = await transitionRollout(tx, row, 'rollout.cancelled', { now, by, text, set: { stateReason: reason || null } })
  await cancelWaiting(tx, row.id, 'The rollout was cancelled', now)
  if (mode === 'abort_all') await requestAbort(tx, row.id, now)
  return after
}

/** Halts the rollouts that offer this release or could continue without a person; their devices keep their state. */
export const haltRollouts: HaltRollouts = async (tx, releaseId, reason, now) => {
  const rows = await lockRolloutsOfReleases(tx, [releaseId])
  const facts = { now, text: `Halted: ${reason}`, set: { stateReason: reason } }
  for (const row of rows) {
    if (!rolloutMoves.canMove(row.phase, 'rollout.halted')) continue
    await transitionRollout(tx, row, 'rollout.halted', facts)
    const target = { kind: 'rollout', id: row.id, name: row.name }
    await recordSystemEvent(tx, { projectId: row.projectId, action: 'rollout.halt', by: 'Integrity check', target, reason }, now)
  }
}

/** Cancels every open rollout of these releases: they were revoked, or the key that signed them was. */
export const cancelRolloutsOfReleases: CancelRollouts = async (tx, releaseIds, stop) => {
  if (releaseIds.length === 0) return
  const rows = await lockRolloutsOfReleases(tx, releaseIds)
  for (const row of rows)
    if (rolloutMoves.canMove(row.phase, 'rollout.cancelled')) await cancelRollout(tx, row, { ...stop, mode: 'abort_all' })
}

/** Those that `cancelRolloutsOfReleases` would cancel. */
export const listOpenRollouts: ListOpenRollouts = async (tx, releaseIds) =>
  (await listRolloutsOfReleases(tx, releaseIds))
    .filter(({ phase }) => rolloutMoves.canMove(phase, 'rollout.cancelled'))
    .map(({ id, name, releaseId, phase }) => ({ id, name, releaseId, state: rolloutStateOf(phase) }))
