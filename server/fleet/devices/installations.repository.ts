import { desc, eq } from 'drizzle-orm'
import { installations } from '../schema/devices'
import type { Tx } from '../../core/database/tx'

export type InstallationRow = typeof installations.$inferSelect

const shown = 200

/** What a device has run, newest first. */
export const listInstallations = (tx: Tx, deviceId: string): Promise<InstallationRow[]> =>
  tx.select().from(installations).where(eq(installations.deviceId, deviceId)).orderBy(desc(installations.id)).limit(shown)
