import { pgTable, text } from 'drizzle-orm/pg-core'

/** Events and invites of which people have not been notified yet, added in their transaction: its order does not matter. */
export const notificationQueue = pgTable('notification_queue', {
  /** The id of the event or invite. */
  eventId: text('event_id').primaryKey(),
  /** The person who caused it, if it is known: they are not told. */
  causedBy: text('caused_by'),
})
