import { index, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { EventFacts } from '../../../../contract/accounts/events'
import { moment } from './columns'

/** What happened in the projects, written in the transaction that did it; kept for 30 days. */
export const events = pgTable(
  'events',
  {
    id: text('id').primaryKey(),
    /** No reference: a writer of events must not wait for a change of the project. Retention deletes those of deleted ones. */
    projectId: text('project_id').notNull(),
    type: text('type').$type<EventFacts['type']>().notNull(),
    at: moment('at').notNull(),
    data: jsonb('data').$type<EventFacts['data']>().notNull(),
  },
  (table) => [
    index('events_project').on(table.projectId, table.id),
    index('events_project_type').on(table.projectId, table.type, table.at),
    index('events_at').on(table.at),
  ],
)
