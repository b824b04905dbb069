import { type SQL, sql } from 'drizzle-orm'
import type { updateGroups } from '../../../contract/devices'
import { type UpdateState, updateStates } from '../../../contract/device/update-events'
import { devices } from '../schema/devices'

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

const listed = (group: UpdateGroup) =>
  sql.raw(
    updateStates
      .filter((state) => updateGroupOf[state] === group)
      .map((state) => `'${state}'`)
      .join(', '),
  )

export const updateGroupSql: SQL<UpdateGroup> = sql`case when ${devices.updateState} in (${listed('waiting')}) then 'waiting' when ${devices.updateState} in (${listed('in_progress')}) then 'in_progress' when ${devices.updateState} in (${listed('failed')}) then 'failed' when ${devices.updateState} = 'succeeded' then 'succeeded' else 'none' end`
