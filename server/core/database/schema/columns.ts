import { customType, integer, text, timestamp } from 'drizzle-orm/pg-core'

/** Times come from the server's clock, never from the database's defaults: tests move that clock. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })

/** Small binary values that belong to their row. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** The columns of every entity; `revision` increases by one with each change and is the ETag. */
export const entity = {
  id: text('id').primaryKey(),
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at').notNull(),
  revision: integer('revision').notNull().default(1),
}
