import { count, eq } from 'drizzle-orm'
import type { Tx } from '../core/database/tx'
import { devices } from '../fleet/schema/devices'
import { rollouts } from '../updates/schema/rollouts'

export const countDevices = async (tx: Tx, projectId: string): Promise<number> => {
  const [row] = await tx.select({ n: count() }).from(devices).where(eq(devices.projectId, projectId))
  return row?.n ?? 0
}

export const countRollouts = async (tx: Tx, projectId: string): Promise<number> => {
  const [row] = await tx.select({ n: count() }).from(rollouts).where(eq(rollouts.projectId, projectId))
  return row?.n ?? 0
}
