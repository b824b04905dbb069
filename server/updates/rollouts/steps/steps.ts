import type { Author } from '../../../../contract/core/shapes'
import { type RolloutPhase, rolloutStateOf } from '../../../../machines/rollout/rollout.machine'
import type { Tx } from '../../../core/database/tx'
import { beginBulkChange } from '../run/bulk-changes'
import { cancelWaiting } from './cancel'
import { type RolloutRow, updateRollout } from '../rows/rollout-rows.repository'
import { insertTimelineEntry } from '../rows/timeline.repository'
import { transitionRollout } from '../run/transitions'
import { notFound, refuse } from '../../../core/http/refuse'
import { tally } from '../../releases/rollout-counts'
import { countStates } from '../offer/counts.repository'
import { requireIntact, requireDeployableRelease } from '../run/scheduled'
import { findNextWave, findWave, updateWave } from '../plan/waves.repository'
import { openWave, start } from '../run/wave-moves'

export type Step = { tx: Tx; row: RolloutRow; now: Date; maker: Author; reason?: string | undefined }

const because = (text: string, reason: string | undefined) => (reason ? `${text}: ${reason}` : text)

const isAhead = ({ startAt }: RolloutRow, now: Date) => startAt !== null && startAt > now

/** A rollout may wait for a person until after its end time. */
const requireBeforeEnd = ({ endAt }: RolloutRow, now: Date): void => {
  if (endAt !== null && endAt <= now)
    refuse(409, 'conflict', { message: 'The end time of this rollout has passed. Create a new one instead' })
}

const launch = async ({ tx, row, now, maker }: Step) => {
  requireBeforeEnd(row, now)
  await requireDeployableRelease(tx, row, now)
  return start(tx, row, { now, by: maker.name })
}

/** Requests approval; without the rule it is scheduled directly. */
export const submit = async ({ tx, row, now, maker, reason }: Step): Promise<RolloutRow> => {
  requireBeforeEnd(row, now)
  const approval = { asked: maker, decided: null, decision: null, comment: reason ?? null }
  const facts = { now, by: maker.name, set: { approval } }
  return transitionRollout(tx, row, 'rollout.submitted', { ...facts, text: because('Asked for approval', reason) })
}

/** Two-person rule: the person who requested or created it cannot decide. */
const decided = ({ row, maker, reason }: Step, decision: string) => {
  if (row.phase !== 'pending_approval') refuse(409, 'conflict', { about: { state: row.phase } })
  const asked = row.approval?.asked ?? maker
  if (asked.id === maker.id || row.createdBy?.id === maker.id)
    refuse(409, 'self_approval', { message: 'Another person has to decide about this rollout' })
  return { asked, decided: maker, decision, comment: reason ?? null }
}

/** Approves it, and starts it unless its start time is in the future. */
export const approve = async (step: Step): Promise<RolloutRow> => {
  const { tx, row, now, maker, reason } = step
  const set = { approval: decided(step, 'approved') }
  const approved = await transitionRollout(tx, row, 'rollout.approved', {
    now,
    by: maker.name,
    text: because('Approved', reason),
    set,
  })
  return isAhead(approved, now) ? approved : launch({ ...step, row: approved })
}

/** Denies it; its devices wait for nothing any more. */
export const deny = async (step: Step): Promise<RolloutRow> => {
  const { tx, row, now, maker, reason } = step
  const set = { approval: decided(step, 'denied'), stateReason: reason ?? null }
  const denied = await transitionRollout(tx, row, 'rollout.denied', { now, by: maker.name, text: because('Denied', reason), set })
  await cancelWaiting(tx, row.id, 'The rollout was denied', now)
  return denied
}

type Begin = { early: boolean; requiresApproval: boolean }

/**
 * Starts it, or schedules it if its start time is in the future; a person can start a scheduled one early. `requiresApproval`: by the
 * rules of now, which a draft may be older than.
 */
export const begin = async (step: Step, { early, requiresApproval }: Begin): Promise<RolloutRow> => {
  const { tx, row, now, maker } = step
  if (row.phase === 'draft' && row.requiresApproval)
    refuse(409, 'approval_needed', { message: 'This rollout needs the approval of another person first' })
  if (row.phase === 'draft' && requiresApproval)
    refuse(409, 'approval_needed', {
      message:
        'The project requires the approval of another person since this rollout was created: cancel it and create it again',
    })
  if (!isAhead(row, now) || (early && row.phase === 'scheduled')) return launch(step)
  await requireDeployableRelease(tx, row, now)
  const text = `Scheduled for ${(row.startAt ?? now).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return row.phase === 'scheduled' ? row : transitionRollout(tx, row, 'rollout.scheduled', { now, by: maker.name, text })
}

export const pause = ({ tx, row, now, maker, reason }: Step): Promise<RolloutRow> => {
  const facts = { now, by: maker.name, set: { stateReason: reason || null } }
  return transitionRollout(tx, row, 'rollout.paused', { ...facts, text: because('Paused', reason) })
}

export const halt = ({ tx, row, now, maker, reason }: Step): Promise<RolloutRow> => {
  const facts = { now, by: maker.name, byId: maker.id, set: { stateReason: reason || null } }
  return transitionRollout(tx, row, 'rollout.halted', { ...facts, text: because('Halted', reason) })
}

/** Opens the next wave where the gate waits for a person. */
export const continueWave = async (step: Step): Promise<RolloutRow> => {
  const { tx, row, now, maker } = step
  await requireIntact(tx, row)
  const facts = {
    now,
    by: maker.name,
    text: 'The next wave was opened',
    set: { stateReason: null },
  }
  const on = await transitionRollout(tx, row, 'wave.continued', facts)
  await updateWave(tx, { rolloutId: row.id, n: row.currentWave }, { state: 'passed' })
  const next = await findNextWave(tx, on)
  return next ? openWave(tx, on, next.n, now) : on
}

export const retryablePhases: readonly RolloutPhase[] = ['filling', 'soaking', 'waiting_for_user', 'paused', 'halted']

/** Queues failed updates again, with all attempts restored. Offers continue only while the rollout runs. */
export const retryFailed = async ({ tx, row, now, maker }: Step): Promise<RolloutRow> => {
  const about = { state: rolloutStateOf(row.phase) }
  if (row.endedAt !== null)
    refuse(409, 'conflict', { message: 'This rollout has ended. Start a new one for the failed devices', about })
  if (!retryablePhases.includes(row.phase)) refuse(409, 'conflict', { about })
  const counted = await countStates(tx, [row.id])
  const { failed } = tally(counted)
  const wave = await findWave(tx, row.id, row.currentWave)
  // Not one that failed only by the health of its devices.
  if (wave?.state === 'failed' && tally(counted.filter((one) => one.wave === wave.n)).failed > 0)
    await updateWave(tx, wave, { state: 'retried' })
  await beginBulkChange(tx, row.id, { kind: 'retry_failed', now })
  const text = failed === 1 ? 'One device tries again' : `${failed} devices try again`
  await insertTimelineEntry(tx, row, { at: now, kind: 'devices.retried', text, by: maker.name })
  return (await updateRollout(tx, row.id, {}, now)) ?? notFound()
}
