import type { DeviceEvent } from '../../../contract/device/api'
import { isEnded, type UpdateState } from '../../../contract/device/update-events'
import { deviceUpdateMoves, moveOf } from '../../../machines/device-update/device-update.machine'
import { secondsAfter } from '../../core/days'

/** Where one update of one device stands, as far as reports can move it. */
export type Standing = {
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
}

const deferralS = 900
const broken: readonly UpdateState[] = ['failed', 'rolled_back', 'cancelled']

const stateAfter = (state: UpdateState, { type }: DeviceEvent): UpdateState => {
  const move = moveOf(type)
  return move === null ? state : deviceUpdateMoves.next(state, move)
}

const measured = (standing: Standing, event: DeviceEvent, now: Date): Partial<Standing> => {
  const { progress_percent: progress, bytes_done: bytesDone, bytes_total: bytesTotal } = event
  return {
    ...(progress !== undefined && { progress }),
    ...(bytesTotal !== undefined && { bytesTotal }),
    ...(bytesDone !== undefined && { bytesDone, ...(bytesDone > (standing.bytesDone ?? 0) && { grownAt: now }) }),
  }
}

/**
 * An update after one report. The chart decides where a report leads; one that is no arrow from here moves nothing, and so
 * does one that the device made before another that already counted (`late`).
 */
export const apply = (standing: Standing, event: DeviceEvent, late: boolean, now: Date): Standing => {
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
    notBefore: state === 'deferred' ? secondsAfter(now, deferralS) : null,
    ...(state === 'downloading' && { grownAt: now }),
    ...(state === 'succeeded' && { progress: 100 }),
    // Going back is told with why only if the failure before it was not heard of.
    errorCode: failure ? (standing.errorCode ?? event.reason_code ?? null) : null,
    errorText: failure ? (standing.errorText ?? event.message ?? null) : null,
  }
}
