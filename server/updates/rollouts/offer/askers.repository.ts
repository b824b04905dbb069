import { inArray } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { rollouts } from '../../schema/rollouts'

/** The people who created rollouts or asked for their approval, by rollout: they cannot give it. */
export const findAskers = async (tx: Tx, rolloutIds: readonly string[]): Promise<Map<string, string[]>> => {
  const rows = await tx
    .select({ id: rollouts.id, createdBy: rollouts.createdBy, approval: rollouts.approval })
    .from(rollouts)
    .where(inArray(rollouts.id, [...rolloutIds]))
  return new Map(
    rows.map(({ id, createdBy, approval }) => [id, [createdBy?.id, approval?.asked?.id].filter((one) => one !== undefined)]),
  )
}
