import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { devices } from './devices'

/**
 * The name and serial number of each device that is not deleted, folded by `fold_case`, kept by triggers on devices. A table of its own,
 * because a change of any indexed row writes all its indexes, and devices change with each contact. The migration adds the index
 * by parts of the text, and the column compares by bytes: both are not expressible here.
 */
export const deviceTexts = pgTable(
  'device_texts',
  {
    deviceId: text('device_id')
      .primaryKey()
      .references(() => devices.id, { onDelete: 'cascade' }),
    projectId: text('project_id').notNull(),
    text: text('text').notNull(),
  },
  (table) => [index('device_texts_by_text').on(table.projectId, table.text, table.deviceId)],
)
