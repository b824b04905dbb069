import { customType, integer, text, timestamp } from 'drizzle-orm/pg-core'

/** Times are set from the server's clock, never by the database: tests move that clock. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })

/** Bytes, for what is small and belongs to its row. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** What every entity carries; `revision` rises by one with each change and is the ETag. */
export const entity = {
  id: text('id').primaryKey(),
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at').notNull(),
  revision: integer('revision').notNull().default(1),
}
