import type { UpdateEvidence } from '../../../contract/ddi/confirm'
import { lifetimes } from '../../core/lifetimes'
import type { DeviceEvent } from '../../../contract/device/api'
import { isEnded, type UpdateEventType, type UpdateState } from '../../../contract/device/update-events'
import { deviceUpdateMoves, moveOf } from '../../../machines/device-update/device-update.machine'
import { secondsAfter } from '../../core/days'

/** The progress of one device update, as far as reports can change it. */
export type UpdateProgress = {
  state: UpdateState
  since: Date
  reason: string | null
  notBefore: Date | null
  progress: number | null
  bytesDone: number | null
  bytesTotal: number | null
  grownAt: Date | null
  errorCode: string | null
  errorText: string | null
  evidence: UpdateEvidence | null
}

const broken: readonly UpdateState[] = ['failed', 'rolled_back', 'cancelled']

/** A report of our agent, or one that was translated from another client's. */
export type UpdateReport = Omit<DeviceEvent, 'type'> & { type: UpdateEventType }

const stateAfter = (state: UpdateState, { type }: UpdateReport): UpdateState => {
  const move = moveOf(type)
  return move === null ? state : deviceUpdateMoves.next(state, move)
}

const measured = (standing: UpdateProgress, event: UpdateReport, now: Date): Partial<UpdateProgress> => {
  const { progress_percent: progress, bytes_done: bytesDone, bytes_total: bytesTotal } = event
  return {
    ...(progress !== undefined && { progress }),
    ...(bytesTotal !== undefined && { bytesTotal }),
    ...(bytesDone !== undefined && { bytesDone, ...(bytesDone > (standing.bytesDone ?? 0) && { grownAt: now }) }),
  }
}

/**
 * A device update after one report. The chart decides the next state; a report without a transition in the current state
 * changes nothing, and neither does one older than a report that already counted (`late`).
 */
export const applyReport = (standing: UpdateProgress, event: UpdateReport, late: boolean, now: Date): UpdateProgress => {
  if (late) return standing
  const state = stateAfter(standing.state, event)
  const moves = state !== standing.state
  if (!moves && isEnded(standing.state)) return standing
  const next = { ...standing, ...measured(standing, event, now) }
  if (!moves) return next
  const failure = broken.includes(state)
  return {
    ...next,
    state,
    since: now,
    reason: null,
    notBefore: state === 'deferred' ? secondsAfter(now, lifetimes.deferralS) : null,
    ...(state === 'downloading' && { grownAt: now }),
    ...(state === 'succeeded' && { progress: 100 }),
    // What was reported before the claim says nothing about the time after it.
    ...(state === 'claimed' && { evidence: null }),
    // The reason of a rollback is stored only if no failure was reported before it.
    errorCode: failure ? (standing.errorCode ?? event.reason_code ?? null) : null,
    errorText: failure ? (standing.errorText ?? event.message ?? null) : null,
  }
}
