import type { UpdateState } from '../../../../contract/device/update-events'
import { statesOf } from '../../../fleet/devices/state/update-group'

/** `setAside`: it failed before a person resumed the halted wave, so the gate of the wave ignores it. */
export type Counted = { rolloutId: string; wave: number; state: UpdateState; setAside: boolean; n: number }

export const activeStates = statesOf('in_progress')
