import { desc, eq, lt } from 'drizzle-orm'
import { deviceBoots } from '../schema/telemetry'
import type { Tx } from '../../core/database/tx'

type BootRow = typeof deviceBoots.$inferSelect

const shown = 50

/** The newest boots of a device. */
export const listBoots = (tx: Tx, deviceId: string): Promise<Pick<BootRow, 'bootId' | 'firstTsMs'>[]> =>
  tx
    .select({ bootId: deviceBoots.bootId, firstTsMs: deviceBoots.firstTsMs })
    .from(deviceBoots)
    .where(eq(deviceBoots.deviceId, deviceId))
    .orderBy(desc(deviceBoots.seenAt))
    .limit(shown)

export const insertNewBoots = async (tx: Tx, rows: BootRow[]): Promise<void> => {
  if (rows.length > 0) await tx.insert(deviceBoots).values(rows).onConflictDoNothing()
}

export const deleteBootsSeenBefore = async (tx: Tx, time: Date): Promise<void> => {
  await tx.delete(deviceBoots).where(lt(deviceBoots.seenAt, time))
}
