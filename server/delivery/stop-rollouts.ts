import { and, eq, inArray, sql } from 'drizzle-orm'
import { rolloutMoves } from '../../machines/rollout/rollout.machine'
import { rolloutDevices, rollouts } from '../database/schema/rollouts'
import type { Tx } from '../database/tx'
import { moveRollout, type RolloutRow } from './rollout-moves'

const waiting = ['queued', 'held', 'deferred'] as const
const active = ['offered', 'downloading', 'downloaded', 'verifying', 'installing', 'rebooting', 'validating'] as const

/** Ends the updates that have not begun. */
export const cancelWaiting = async (tx: Tx, rolloutId: string, reason: string, now: Date): Promise<void> => {
  await tx
    .update(rolloutDevices)
    .set({ state: 'cancelled', since: now, reason })
    .where(and(eq(rolloutDevices.rolloutId, rolloutId), inArray(rolloutDevices.state, [...waiting])))
}

/** Devices hear it in the answer to their next report. */
export const askToAbort = async (tx: Tx, rolloutId: string): Promise<void> => {
  await tx
    .update(rolloutDevices)
    .set({ abortAsked: true })
    .where(and(eq(rolloutDevices.rolloutId, rolloutId), inArray(rolloutDevices.state, [...active])))
}

export type Stop = { reason: string; mode: 'stop_new' | 'abort_all'; by: string | null; now: Date }

/** Cancels one rollout: nobody new gets it, and what runs ends by itself or is asked to. */
export const cancelRollout = async (tx: Tx, row: RolloutRow, { reason, mode, by, now }: Stop): Promise<RolloutRow> => {
  const text = reason === '' ? 'Cancelled' : `Cancelled: ${reason}`
  const after = await moveRollout(tx, row, 'rollout.cancelled', { now, by, text, set: { stateReason: reason || null } })
  await cancelWaiting(tx, row.id, 'The rollout was cancelled', now)
  if (mode === 'abort_all') await askToAbort(tx, row.id)
  return after
}

/** Cancels every open rollout of these releases: they were revoked, or the key that signed them was. */
export const stopRolloutsOf = async (tx: Tx, releaseIds: readonly string[], stop: Omit<Stop, 'mode'>): Promise<void> => {
  if (releaseIds.length === 0) return
  const rows = await tx
    .select()
    .from(rollouts)
    .where(inArray(rollouts.releaseId, [...releaseIds]))
    .orderBy(sql`${rollouts.id}`)
    .for('update')
  for (const row of rows)
    if (rolloutMoves.canMove(row.phase, 'rollout.cancelled')) await cancelRollout(tx, row, { ...stop, mode: 'abort_all' })
}
