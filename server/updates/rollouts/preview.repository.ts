import { count, eq, sql } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { assets } from '../schema/releases'
import { rollouts } from '../schema/rollouts'

export const countRolloutsOfRelease = async (tx: Tx, releaseId: string): Promise<number> => {
  const [row] = await tx.select({ n: count() }).from(rollouts).where(eq(rollouts.releaseId, releaseId))
  return row?.n ?? 0
}

export const countBytesOfRelease = async (tx: Tx, releaseId: string): Promise<number> => {
  const total = sql<number>`coalesce(sum(${assets.size}), 0)::bigint`.mapWith(Number)
  const [row] = await tx.select({ total }).from(assets).where(eq(assets.releaseId, releaseId))
  return row?.total ?? 0
}
