import { and, eq, inArray } from 'drizzle-orm'
import type { Maker } from '../../contract/shapes'
import { deviceUpdateMoves } from '../../machines/device-update/device-update.machine'
import { releases } from '../database/schema/releases'
import { rolloutDevices } from '../database/schema/rollouts'
import type { Tx } from '../database/tx'
import { moveRollout, note, type RolloutRow } from '../delivery/rollout-moves'
import { notFound, refuse, refuseField } from '../http/refuse'
import { changed } from '../http/entity'
import { rollouts } from '../database/schema/rollouts'
import { rollable } from './preview'
import { nextWave, openWave, setWave, start, waveOf } from './wave-moves'

export type Step = { tx: Tx; row: RolloutRow; now: Date; maker: Maker; reason?: string | undefined }

const because = (text: string, reason: string | undefined) => (reason ? `${text}: ${reason}` : text)

/** Asks for approval; without the need of one it is scheduled. */
export const submit = ({ tx, row, now, maker, reason }: Step): Promise<RolloutRow> => {
  const approval = { asked: maker, decided: null, decision: null, comment: reason ?? null }
  const facts = { now, by: maker.name, set: { approval } }
  return moveRollout(tx, row, 'rollout.submitted', { ...facts, text: because('Asked for approval', reason) })
}

/** Two-person rule (release rule 8): whoever asked or made it cannot be the one who decides. */
const decided = ({ row, maker, reason }: Step, decision: string) => {
  if (row.phase !== 'pending_approval') refuse(409, 'conflict', { about: { state: row.phase } })
  const asked = row.approval?.asked ?? maker
  if (asked.id === maker.id || row.createdBy?.id === maker.id)
    refuse(409, 'self_approval', { message: 'Somebody else has to decide about this' })
  return { asked, decided: maker, decision, comment: reason ?? null }
}

export const approve = (step: Step): Promise<RolloutRow> => {
  const { tx, row, now, maker, reason } = step
  const set = { approval: decided(step, 'approved') }
  return moveRollout(tx, row, 'rollout.approved', { now, by: maker.name, text: because('Approved', reason), set })
}

export const deny = (step: Step): Promise<RolloutRow> => {
  const { tx, row, now, maker, reason } = step
  const set = { approval: decided(step, 'denied'), stateReason: reason ?? null }
  return moveRollout(tx, row, 'rollout.denied', { now, by: maker.name, text: because('Denied', reason), set })
}

/** Starts it, or schedules it when its time lies ahead. */
export const begin = async ({ tx, row, now, maker }: Step): Promise<RolloutRow> => {
  if (row.phase === 'draft' && row.requiresApproval)
    refuse(409, 'approval_needed', { message: 'This rollout needs the approval of somebody else first' })
  const [release] = await tx.select().from(releases).where(eq(releases.id, row.releaseId))
  rollable(release ?? notFound(), now)
  if (row.startAt === null || row.startAt <= now) return start(tx, row, { now, by: maker.name })
  const text = `Scheduled for ${row.startAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return row.phase === 'scheduled' ? row : moveRollout(tx, row, 'rollout.scheduled', { now, by: maker.name, text })
}

export const pause = ({ tx, row, now, maker, reason }: Step): Promise<RolloutRow> => {
  const facts = { now, by: maker.name, set: { stateReason: reason || null } }
  return moveRollout(tx, row, 'rollout.paused', { ...facts, text: because('Paused', reason) })
}

export const halt = ({ tx, row, now, maker, reason }: Step): Promise<RolloutRow> => {
  const facts = { now, by: maker.name, set: { stateReason: reason || null } }
  return moveRollout(tx, row, 'rollout.halted', { ...facts, text: because('Halted', reason) })
}

// Whoever resumes after a failed gate takes the wave as it is: the gate would halt it again at once.
const waive = async ({ tx, row, now, maker, reason }: Step) => {
  const wave = await waveOf(tx, row.id, row.currentWave)
  if (wave?.state !== 'failed') return
  const gate = { ...wave.gate, min_success_percent: 0, max_failure_percent: 100 }
  await setWave(tx, wave, { state: 'filling', gate })
  await note(tx, row, { at: now, kind: 'gate.waived', text: `The gate was waived: ${reason}`, wave: wave.n, by: maker.name })
}

export const resume = async (step: Step): Promise<RolloutRow> => {
  const { tx, row, now, maker, reason } = step
  const wasHalted = row.phase === 'halted'
  if (wasHalted && !reason) refuseField('reason', 'required', 'Reason is required')
  const facts = { now, by: maker.name, set: { stateReason: null } }
  const after = await moveRollout(tx, row, 'rollout.resumed', { ...facts, text: because('Resumed', reason) })
  if (wasHalted) await waive(step)
  return after
}

/** Opens the next wave where the gate waits for a person. */
export const goOn = async ({ tx, row, now, maker }: Step): Promise<RolloutRow> => {
  const facts = { now, by: maker.name, text: `Wave ${row.currentWave} was let through`, set: { stateReason: null } }
  const on = await moveRollout(tx, row, 'wave.continued', facts)
  await setWave(tx, { rolloutId: row.id, n: row.currentWave }, { state: 'passed' })
  const next = await nextWave(tx, on)
  return next ? openWave(tx, on, next.n, now) : on
}

const failedStates = ['failed', 'rolled_back', 'timed_out'] as const

/** Queues what failed once more, with all its attempts before it. */
export const retryFailed = async ({ tx, row, now, maker }: Step): Promise<RolloutRow> => {
  if (row.endedAt !== null || row.startedAt === null) refuse(409, 'conflict', { about: { state: row.phase } })
  const again = await tx
    .update(rolloutDevices)
    .set({ state: deviceUpdateMoves.next('failed', 'update.retried'), since: now, attempt: 1, notBefore: null, reason: null })
    .where(and(eq(rolloutDevices.rolloutId, row.id), inArray(rolloutDevices.state, [...failedStates])))
    .returning({ id: rolloutDevices.deviceId })
  const text = again.length === 1 ? 'One device tries again' : `${again.length} devices try again`
  await note(tx, row, { at: now, kind: 'devices.retried', text, by: maker.name })
  const [after] = await tx.update(rollouts).set(changed(now)).where(eq(rollouts.id, row.id)).returning()
  return after ?? notFound()
}
