import { and, desc, eq, inArray, not } from 'drizzle-orm'
import { rollouts } from '../schema/rollouts'
import type { Tx } from '../../core/database/tx'

/** The newest rollout of each release that was not denied. */
export const findNewestRollouts = (tx: Tx, releaseIds: readonly string[]) =>
  tx
    .selectDistinctOn([rollouts.releaseId])
    .from(rollouts)
    .where(and(inArray(rollouts.releaseId, [...releaseIds]), not(eq(rollouts.phase, 'denied'))))
    .orderBy(rollouts.releaseId, desc(rollouts.createdAt), desc(rollouts.id))
