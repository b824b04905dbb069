import { sql } from 'drizzle-orm'
import { boolean, index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { NewSavedView } from '../../../contract/fleet/saved-views'
import { entity } from '../../core/database/schema/columns'
import { users } from '../../accounts/schema/people'
import { projects } from '../../accounts/schema/projects'

export const savedViews = pgTable(
  'saved_views',
  {
    ...entity,
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    query: text('query').notNull(),
    columns: jsonb('columns').$type<NewSavedView['columns']>().notNull(),
    dense: boolean('dense').notNull(),
    shared: boolean('shared').notNull(),
  },
  (table) => [
    uniqueIndex('saved_views_owner_name').on(table.projectId, table.ownerId, sql`lower(${table.name})`),
    index('saved_views_shared')
      .on(table.projectId, table.name)
      .where(sql`${table.shared}`),
  ],
)
