import { and, eq, inArray, isNull, ne, sql } from 'drizzle-orm'
import { projects } from '../../accounts/schema/projects'
import type { Tx } from '../../core/database/tx'
import { connectivitySql } from '../devices/state/computed.repository'
import { devices } from '../schema/devices'

export type SimulatedCounts = { added: number; seen: number; online: number; waiting: number }

/** Devices with these serial numbers that are neither deleted nor decommissioned; `pollS` is the project's interval. */
export const countSimulated = async (
  tx: Tx,
  projectId: string,
  serials: readonly string[],
  pollS: number,
  now: Date,
): Promise<SimulatedCounts> => {
  const none = { added: 0, seen: 0, online: 0, waiting: 0 }
  if (serials.length === 0) return none
  const [counts] = await tx
    .select({
      added: sql<number>`count(*)::int`,
      seen: sql<number>`count(${devices.lastSeenAt})::int`,
      online: sql<number>`count(*) filter (where ${connectivitySql(pollS, now)} = 'online')::int`,
      waiting: sql<number>`count(*) filter (where ${devices.lifecycle} = 'pending')::int`,
    })
    .from(devices)
    .where(
      and(
        eq(devices.projectId, projectId),
        inArray(devices.serialNumber, [...serials]),
        isNull(devices.deletedAt),
        ne(devices.lifecycle, 'decommissioned'),
      ),
    )
  return counts ?? none
}

export const hasProject = async (tx: Tx, projectId: string): Promise<boolean> => {
  const found = await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId))
  return found.length > 0
}
