import { and, count, desc, eq, inArray, not } from 'drizzle-orm'
import { rolloutDevices, rollouts } from '../schema/rollouts'
import type { Tx } from '../../core/database/tx'

/** The newest rollout of each release that was not denied. */
export const findNewestRollouts = (tx: Tx, releaseIds: readonly string[]) =>
  tx
    .selectDistinctOn([rollouts.releaseId])
    .from(rollouts)
    .where(and(inArray(rollouts.releaseId, [...releaseIds]), not(eq(rollouts.phase, 'denied'))))
    .orderBy(rollouts.releaseId, desc(rollouts.createdAt), desc(rollouts.id))

/** The number of devices of each state, for each rollout. */
export const countDeviceStates = async (tx: Tx, rolloutIds: readonly string[]) =>
  rolloutIds.length === 0
    ? []
    : tx
        .select({ rolloutId: rolloutDevices.rolloutId, state: rolloutDevices.state, n: count() })
        .from(rolloutDevices)
        .where(inArray(rolloutDevices.rolloutId, [...rolloutIds]))
        .groupBy(rolloutDevices.rolloutId, rolloutDevices.state)
