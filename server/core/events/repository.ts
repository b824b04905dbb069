import { and, asc, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { events } from '../database/schema/events'
import type { Tx } from '../database/tx'

export type EventRow = typeof events.$inferSelect

/**
 * The events of a project after an id, oldest first. A transaction that took long commits its events after others with greater
 * ids: whoever continues after an interruption starts some seconds earlier (`idOfTime` of core/ids) and ignores what it knows.
 */
export const listEvents = (tx: Tx, projectId: string, after: string, limit: number): Promise<EventRow[]> =>
  tx
    .select()
    .from(events)
    .where(and(eq(events.projectId, projectId), gt(events.id, after)))
    .orderBy(asc(events.id))
    .limit(limit)

/** The events with these ids, oldest first. */
export const findEvents = (tx: Tx, ids: readonly string[]): Promise<EventRow[]> =>
  tx
    .select()
    .from(events)
    .where(inArray(events.id, [...ids]))
    .orderBy(asc(events.id))

// By short statements.
const rowsAtOnce = 10_000

const deleteWhere = async (tx: Tx, condition: SQL): Promise<void> => {
  for (let deleted = rowsAtOnce; deleted >= rowsAtOnce;) {
    const some = sql`select id from ${events} where ${condition} limit ${rowsAtOnce}`
    deleted = (await tx.execute(sql`delete from ${events} where id in (${some})`)).rowCount ?? 0
  }
}

export const deleteEventsBefore = (tx: Tx, time: Date): Promise<void> => deleteWhere(tx, lt(events.at, time))
export const deleteEventsOfProject = (tx: Tx, projectId: string): Promise<void> =>
  deleteWhere(tx, eq(events.projectId, projectId))
