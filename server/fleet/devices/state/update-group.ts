import { updateGroups } from '../../../../contract/fleet/devices'
import type { UpdateState } from '../../../../contract/device/update-events'
import { deviceUpdateMoves, type DeviceUpdateTag } from '../../../../machines/device-update/device-update.machine'

export type UpdateGroup = (typeof updateGroups)[number]

const tagOf: Record<UpdateGroup, DeviceUpdateTag> = {
  none: 'excluded',
  waiting: 'waiting',
  in_progress: 'active',
  succeeded: 'succeeded',
  failed: 'failed',
}

/** The update states of a group. */
export const statesOf = (group: UpdateGroup): UpdateState[] => deviceUpdateMoves.withTag(tagOf[group])

/** Groups of update states for filters: none, waiting, running, and the result. */
export const updateGroupOf = (state: UpdateState): UpdateGroup =>
  updateGroups.find((group) => deviceUpdateMoves.hasTag(state, tagOf[group])) ?? 'none'
