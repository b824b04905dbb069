import type { updateGroups } from '../../../contract/devices'
import type { UpdateState } from '../../../contract/device/update-events'

export type UpdateGroup = (typeof updateGroups)[number]

/** Groups of update states for filters: none, waiting, running, and the result. */
export const updateGroupOf: Record<UpdateState, UpdateGroup> = {
  queued: 'waiting',
  held: 'waiting',
  deferred: 'waiting',
  offered: 'in_progress',
  downloading: 'in_progress',
  downloaded: 'in_progress',
  verifying: 'in_progress',
  installing: 'in_progress',
  rebooting: 'in_progress',
  validating: 'in_progress',
  succeeded: 'succeeded',
  failed: 'failed',
  rolled_back: 'failed',
  timed_out: 'failed',
  skipped: 'none',
  cancelled: 'none',
}
