import { type SQL, sql } from 'drizzle-orm'
import type { Target } from '../../../../contract/updates/rollout-plans'
import { textList } from '../../../core/database/text-list'
import { targeted } from '../../../fleet/devices/list/target.repository'
import { statesOf } from '../../../fleet/devices/state/update-group'
import { devices } from '../../../fleet/schema/devices'
import { rolloutDevices } from '../../schema/rollouts'

const failed = textList(statesOf('failed'))

/** Devices of the project that failed in one of its rollouts: there may be more than a target can name. */
const failedIn = (projectId: string, rolloutId: string): SQL => sql`${devices.id} in (
  select d.device_id from ${rolloutDevices} d
  where d.rollout_id = ${rolloutId} and d.project_id = ${projectId} and d.state in ${failed}
)`

/** The devices that the target of a rollout selects. */
export const targetedByRollout = (projectId: string, target: Target): SQL | undefined =>
  targeted(projectId, target, target.failed_in === undefined ? undefined : failedIn(projectId, target.failed_in))
