import { and, asc, eq, getTableColumns, inArray, lt, type SQLWrapper, sql } from 'drizzle-orm'
import { users } from '../../../accounts/schema/people'
import { deviceCommands } from '../../schema/devices'
import type { Tx } from '../../../core/database/tx'
import { paging } from '../../../core/http/paging'
import { notFound } from '../../../core/http/refuse'

export type CommandRow = typeof deviceCommands.$inferSelect
type Own = { deviceId: string; id: string }

const queuedFor = (deviceId: string | SQLWrapper) =>
  and(eq(deviceCommands.deviceId, deviceId), eq(deviceCommands.state, 'queued'))
const own = ({ deviceId, id }: Own) => and(eq(deviceCommands.id, id), eq(deviceCommands.deviceId, deviceId))

/** One row if the device has queued commands. */
export const queuedCommands = (tx: Tx, deviceId: string | SQLWrapper) =>
  tx.select({ id: deviceCommands.id }).from(deviceCommands).where(queuedFor(deviceId)).limit(1)

export const hasQueuedCommands = async (tx: Tx, deviceId: string): Promise<boolean> => {
  const waiting = await queuedCommands(tx, deviceId)
  return waiting.length > 0
}

/** The queued commands of a device, oldest first. */
export const listQueuedCommands = (tx: Tx, deviceId: string, most: number): Promise<CommandRow[]> =>
  tx.select().from(deviceCommands).where(queuedFor(deviceId)).orderBy(asc(deviceCommands.id)).limit(most)

const author = { createdByName: users.fullName }
const { output: _output, ...facts } = getTableColumns(deviceCommands)
const outputBytes = sql<number>`coalesce(octet_length(${deviceCommands.output}), 0)`

/** One page of the commands of a device, newest first, each with the size of its output instead of the output. */
export const listCommands = async (tx: Tx, deviceId: string, query: { limit?: number; cursor?: string }) => {
  const page = paging(query, { id: deviceCommands.id }, deviceCommands.id, '-id')
  const rows = await tx
    .select({ ...facts, ...author, outputBytes })
    .from(deviceCommands)
    .leftJoin(users, eq(users.id, deviceCommands.createdBy))
    .where(and(eq(deviceCommands.deviceId, deviceId), page.after))
    .orderBy(...page.order)
    .limit(page.take)
  return page.cut(rows, ({ id }) => [id, id])
}

/** A command with its author and output; 404 if it is not one of the device. */
export const getCommand = async (tx: Tx, command: Own): Promise<CommandRow & { createdByName: string | null }> => {
  const [row] = await tx
    .select({ ...getTableColumns(deviceCommands), ...author })
    .from(deviceCommands)
    .leftJoin(users, eq(users.id, deviceCommands.createdBy))
    .where(own(command))
  return row ?? notFound()
}

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

/** Marks those of the commands as delivered that are still queued, and returns their ids: a person may cancel one meanwhile. */
export const markCommandsDelivered = async (tx: Tx, ids: readonly string[], now: Date): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const marked = await tx
    .update(deviceCommands)
    .set({ state: 'delivered', deliveredAt: now })
    .where(and(inArray(deviceCommands.id, [...ids]), eq(deviceCommands.state, 'queued')))
    .returning({ id: deviceCommands.id })
  return new Set(marked.map(({ id }) => id))
}

export const deleteCommandsBefore = async (tx: Tx, time: Date): Promise<void> => {
  await tx.delete(deviceCommands).where(lt(deviceCommands.createdAt, time))
}
