import { and, eq, isNotNull } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { devices } from '../../schema/devices'
import type { DeviceRow } from '../repository'

/** The row that a device left in a project, while its history is kept; locked. */
export const lockFormerRow = async (tx: Tx, projectId: string, deviceId: string): Promise<DeviceRow | undefined> => {
  const left = and(eq(devices.projectId, projectId), eq(devices.movedToId, deviceId), isNotNull(devices.deletedAt))
  const [row] = await tx.select().from(devices).where(left).for('update')
  return row
}

/** The rows that a device has left name its current one, also after further moves. */
export const renameMovedTo = async (tx: Tx, fromId: string, toId: string): Promise<void> => {
  await tx.update(devices).set({ movedToId: toId }).where(eq(devices.movedToId, fromId))
}
