import type { UpdateState } from '../../../contract/device/update-events'
import type { RolloutCounts } from '../../../contract/updates/rollouts'
import { updateGroupOf } from '../../fleet/devices/state/update-group'

/** `left`: skipped or cancelled, so no gate counts it. */
type Tally = RolloutCounts & { left: number }
type StateCount = { state: UpdateState; n: number }

const none: Tally = { targeted: 0, succeeded: 0, failed: 0, running: 0, claimed: 0, waiting: 0, left: 0 }

const column = { waiting: 'waiting', in_progress: 'running', succeeded: 'succeeded', failed: 'failed', none: 'left' } as const

/** The devices of a rollout, or of a part of it, by group of states. */
export const tally = (rows: readonly StateCount[]): Tally => {
  const sums = { ...none }
  for (const { state, n } of rows) {
    sums.targeted += n
    sums[column[updateGroupOf(state)]] += n
    if (state === 'claimed') sums.claimed += n
  }
  return sums
}

/** The same without `left`, as the API returns it. */
export const toRolloutCounts = (rows: readonly StateCount[]): RolloutCounts => {
  const { targeted, succeeded, failed, running, claimed, waiting } = tally(rows)
  return { targeted, succeeded, failed, running, claimed, waiting }
}
