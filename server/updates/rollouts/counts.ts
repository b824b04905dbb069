import type { UpdateState } from '../../../contract/device/update-events'
import type { RolloutCounts } from '../../../contract/rollouts'
import { statesOf, updateGroupOf } from '../../fleet/devices/update-group'

/** `left`: skipped or cancelled, so no gate counts it. */
export type Tally = RolloutCounts & { left: number }
/** `setAside`: it failed before a person resumed the halted wave, so the gate of the wave ignores it. */
export type Counted = { rolloutId: string; wave: number; state: UpdateState; setAside: boolean; n: number }

const noTally: Tally = { targeted: 0, succeeded: 0, failed: 0, running: 0, waiting: 0, left: 0 }

const column = { waiting: 'waiting', in_progress: 'running', succeeded: 'succeeded', failed: 'failed', none: 'left' } as const

export const tally = (rows: readonly Counted[]): Tally => {
  const sums = { ...noTally }
  for (const { state, n } of rows) {
    sums.targeted += n
    sums[column[updateGroupOf(state)]] += n
  }
  return sums
}

export const activeStates = statesOf('in_progress')
