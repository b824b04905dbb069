import { and, asc, eq, inArray, lt, type Placeholder } from 'drizzle-orm'
import { deviceCommands } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { notFound } from '../../core/http/refuse'

export type CommandRow = typeof deviceCommands.$inferSelect
type Own = { deviceId: string; id: string }

const queuedFor = (deviceId: string | Placeholder) =>
  and(eq(deviceCommands.deviceId, deviceId), eq(deviceCommands.state, 'queued'))
const own = ({ deviceId, id }: Own) => and(eq(deviceCommands.id, id), eq(deviceCommands.deviceId, deviceId))

/** One row if the device has queued commands. */
export const queuedCommands = (tx: Tx, deviceId: string | Placeholder) =>
  tx.select({ id: deviceCommands.id }).from(deviceCommands).where(queuedFor(deviceId)).limit(1)

export const hasQueuedCommands = async (tx: Tx, deviceId: string): Promise<boolean> => {
  const waiting = await queuedCommands(tx, deviceId)
  return waiting.length > 0
}

/** The queued commands of a device, oldest first. */
export const listQueuedCommands = (tx: Tx, deviceId: string, most: number): Promise<CommandRow[]> =>
  tx.select().from(deviceCommands).where(queuedFor(deviceId)).orderBy(asc(deviceCommands.id)).limit(most)

/** Locks a command; 404 if it is not one of the device. */
export const lockCommand = async (tx: Tx, command: Own): Promise<CommandRow> => {
  const [row] = await tx.select().from(deviceCommands).where(own(command)).for('update')
  return row ?? notFound()
}

export const insertCommand = async (tx: Tx, row: CommandRow): Promise<void> => {
  await tx.insert(deviceCommands).values(row)
}

export const updateCommand = async (tx: Tx, command: Own, changes: Partial<CommandRow>): Promise<void> => {
  await tx.update(deviceCommands).set(changes).where(own(command))
}

/** Expires the queued commands of a device that were created before `time`. */
export const expireCommands = async (tx: Tx, deviceId: string, time: Date, now: Date): Promise<void> => {
  await tx
    .update(deviceCommands)
    .set({ state: 'expired', doneAt: now })
    .where(and(queuedFor(deviceId), lt(deviceCommands.createdAt, time)))
}

export const markCommandsDelivered = async (tx: Tx, ids: readonly string[], now: Date): Promise<void> => {
  if (ids.length === 0) return
  await tx
    .update(deviceCommands)
    .set({ state: 'delivered', deliveredAt: now })
    .where(inArray(deviceCommands.id, [...ids]))
}

export const deleteCommandsBefore = async (tx: Tx, time: Date): Promise<void> => {
  await tx.delete(deviceCommands).where(lt(deviceCommands.createdAt, time))
}
