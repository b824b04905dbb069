import { pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { TagColour } from '../../../contract/fleet/tags'
import { entity } from '../../core/database/schema/columns'
import { projects } from '../../accounts/schema/projects'

export const tags = pgTable(
  'tags',
  {
    ...entity,
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    colour: text('colour').$type<TagColour>().notNull(),
    description: text('description').notNull().default(''),
  },
  (table) => [uniqueIndex('tags_project_name').on(table.projectId, table.name)],
)
