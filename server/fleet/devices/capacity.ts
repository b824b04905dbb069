import type { Plan } from '../../../contract/accounts/plans'
import type { Tx } from '../../core/database/tx'
import { requirePlanCapacity } from '../../accounts/plan-limit'
import { lockProject } from '../../accounts/projects/plan-and-settings.repository'
import { countDevicesOfPlan } from './repository'

/** 402 if the plan allows no further device; refuses only new devices, never updates. */
export const requireDeviceCapacity = async (tx: Tx, projectId: string, plan: Plan, wanted = 1): Promise<void> => {
  await lockProject(tx, projectId)
  requirePlanCapacity(plan, 'devices_per_project', await countDevicesOfPlan(tx, projectId), wanted)
}
