import { and, count, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { assets } from '../../schema/releases'
import { statesOf } from '../../../fleet/devices/state/update-group'
import { rolloutDevices, rollouts } from '../../schema/rollouts'

export const countRolloutsOfRelease = async (tx: Tx, releaseId: string): Promise<number> => {
  const [row] = await tx.select({ n: count() }).from(rollouts).where(eq(rollouts.releaseId, releaseId))
  return row?.n ?? 0
}

export const countBytesOfRelease = async (tx: Tx, releaseId: string): Promise<number> => {
  const total = sql<number>`coalesce(sum(${assets.size}), 0)::bigint`.mapWith(Number)
  const [row] = await tx.select({ total }).from(assets).where(eq(assets.releaseId, releaseId))
  return row?.total ?? 0
}

export type Overlap = { rolloutId: string; name: string; count: number }

/** The open rollouts in which some of these devices wait or are being updated, the largest first. */
export const listOverlaps = async (tx: Tx, projectId: string, deviceIds: readonly string[], most: number): Promise<Overlap[]> => {
  if (deviceIds.length === 0) return []
  const n = sql<number>`count(*)::int`
  return tx
    .select({ rolloutId: rollouts.id, name: rollouts.name, count: n })
    .from(rollouts)
    .innerJoin(rolloutDevices, eq(rolloutDevices.rolloutId, rollouts.id))
    .where(
      and(
        eq(rollouts.projectId, projectId),
        isNull(rollouts.endedAt),
        inArray(rolloutDevices.state, [...statesOf('waiting'), ...statesOf('in_progress')]),
        sql`${rolloutDevices.deviceId} = any(${sql.param([...deviceIds])}::text[])`,
      ),
    )
    .groupBy(rollouts.id, rollouts.name)
    .orderBy(desc(n), rollouts.id)
    .limit(most)
}
