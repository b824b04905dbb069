import { asc, eq, inArray, sql } from 'drizzle-orm'
import type { EventFacts } from '../../../contract/accounts/events'
import { events } from '../../core/database/schema/events'
import { notificationQueue } from '../../core/database/schema/notification-queue'
import type { Tx } from '../../core/database/tx'
import { invites } from '../schema/invites'

export type QueuedEvent = EventFacts & { id: string; projectId: string; at: Date; causedBy: string | null }

/** A condition. */
export const isAnythingQueued = sql`exists (select from ${notificationQueue})`

/** Locks the oldest queued events that no other process works on. */
export const lockQueuedEvents = async (tx: Tx, limit: number): Promise<QueuedEvent[]> => {
  const rows = await tx
    .select({ event: events, causedBy: notificationQueue.causedBy })
    .from(notificationQueue)
    .innerJoin(events, eq(events.id, notificationQueue.eventId))
    .orderBy(asc(notificationQueue.eventId))
    .limit(limit)
    .for('update', { of: notificationQueue, skipLocked: true })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the data of an event is that of its type
  return rows.map(({ event, causedBy }) => ({ ...event, causedBy }) as QueuedEvent)
}

/** Locks the oldest queued invites that no other process works on; their ids. */
export const lockQueuedInvites = async (tx: Tx, limit: number): Promise<string[]> => {
  const rows = await tx
    .select({ id: notificationQueue.eventId })
    .from(notificationQueue)
    .innerJoin(invites, eq(invites.id, notificationQueue.eventId))
    .orderBy(asc(notificationQueue.eventId))
    .limit(limit)
    .for('update', { of: notificationQueue, skipLocked: true })
  return rows.map(({ id }) => id)
}

export const deleteQueued = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  await tx.delete(notificationQueue).where(inArray(notificationQueue.eventId, [...ids]))
}
