import { desc, eq } from 'drizzle-orm'
import { installations } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { nextId } from '../../core/ids'

export type InstallationRow = typeof installations.$inferSelect

const maxListed = 200

/** The releases that a device has run, newest first. */
export const listInstallations = (tx: Tx, deviceId: string): Promise<InstallationRow[]> =>
  tx.select().from(installations).where(eq(installations.deviceId, deviceId)).orderBy(desc(installations.id)).limit(maxListed)

export const insertInstallation = async (
  tx: Tx,
  installation: Omit<InstallationRow, 'id' | 'installedAt'>,
  now: Date,
): Promise<void> => {
  await tx.insert(installations).values({ id: nextId(now), ...installation, installedAt: now })
}

export const updateNewestInstallation = async (
  tx: Tx,
  deviceId: string,
  set: Pick<InstallationRow, 'confirmed'>,
): Promise<void> => {
  const newest = tx
    .select({ id: installations.id })
    .from(installations)
    .where(eq(installations.deviceId, deviceId))
    .orderBy(desc(installations.id))
    .limit(1)
  await tx.update(installations).set(set).where(eq(installations.id, newest))
}
