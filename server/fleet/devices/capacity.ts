import { and, count, eq, isNull, notInArray } from 'drizzle-orm'
import type { Plan } from '../../../contract/plans'
import { devices } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { requirePlanCapacity } from '../../accounts/plan-limit'
import { lockProject } from '../../accounts/projects/plan-and-settings'

/** 402 if the plan allows no further device; refuses only new devices, never updates. */
export const requireDeviceCapacity = async (tx: Tx, projectId: string, plan: Plan): Promise<void> => {
  await lockProject(tx, projectId)
  const counted = and(
    eq(devices.projectId, projectId),
    isNull(devices.deletedAt),
    notInArray(devices.lifecycle, ['decommissioned', 'rejected']),
  )
  const [used] = await tx.select({ n: count() }).from(devices).where(counted)
  requirePlanCapacity(plan, 'devices_per_project', used?.n ?? 0)
}
