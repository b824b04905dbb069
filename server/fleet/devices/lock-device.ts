import { eq } from 'drizzle-orm'
import { devices } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'

export type DeviceRow = typeof devices.$inferSelect

/** Locks the calling device, so that its requests run one after another. It existed when its token was looked up. */
export const lockDevice = async (tx: Tx, id: string): Promise<DeviceRow> => {
  const [row] = await tx.select().from(devices).where(eq(devices.id, id)).for('no key update')
  return row ?? refuse(401, 'unauthenticated')
}
