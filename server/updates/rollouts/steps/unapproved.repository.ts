import { and, eq, isNull, notInArray } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { rollouts } from '../../schema/rollouts'

/**
 * Whether the project has an open rollout that began without the approval of a second person, from before its rule. A way back offers
 * only what a device has run before.
 */
export const hasUnapprovedRollout = async (tx: Tx, projectId: string): Promise<boolean> => {
  const rows = await tx
    .select({ id: rollouts.id })
    .from(rollouts)
    .where(
      and(
        eq(rollouts.projectId, projectId),
        isNull(rollouts.endedAt),
        eq(rollouts.requiresApproval, false),
        isNull(rollouts.rollsBackId),
        notInArray(rollouts.phase, ['draft', 'pending_approval']),
      ),
    )
    .limit(1)
  return rows.length > 0
}
