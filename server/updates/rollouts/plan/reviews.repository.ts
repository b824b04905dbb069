import { and, eq, isNull, lte, sql } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { devices } from '../../../fleet/schema/devices'
import { type ReviewPosition, rolloutReviews, rollouts } from '../../schema/rollouts'

/** Takes at most so many of the devices that have changed since the last tick. */
export const takeDueReviews = async (tx: Tx, rolloutId: string, most: number, now: Date): Promise<string[]> => {
  const due = and(eq(rolloutReviews.rolloutId, rolloutId), lte(rolloutReviews.at, now))
  const rows = await tx
    .delete(rolloutReviews)
    .where(
      sql`ctid = any(array(${tx
        .select({ ctid: sql`ctid` })
        .from(rolloutReviews)
        .where(due)
        .orderBy(rolloutReviews.at)
        .limit(most)}))`,
    )
    .returning({ id: rolloutReviews.deviceId })
  return rows.map(({ id }) => id)
}

/** The next devices of a project after a position, in the order of their creation. */
export const listDevicesToReview = async (
  tx: Tx,
  projectId: string,
  after: ReviewPosition | null,
  most: number,
): Promise<ReviewPosition[]> =>
  tx
    .select({ id: devices.id, at: sql<string>`${devices.createdAt}::text` })
    .from(devices)
    .where(
      and(
        eq(devices.projectId, projectId),
        isNull(devices.deletedAt),
        after === null ? undefined : sql`(${devices.createdAt}, ${devices.id}) > (${after.at}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(devices.createdAt, devices.id)
    .limit(most)

/** No change that people see: the revision of the rollout stays. */
export const updateReview = async (
  tx: Tx,
  rolloutId: string,
  set: { reviewPosition: ReviewPosition | null; reviewedAt?: Date },
): Promise<void> => {
  await tx.update(rollouts).set(set).where(eq(rollouts.id, rolloutId))
}
