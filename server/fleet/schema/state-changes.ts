import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { flapping } from '../../../contract/overview/monitor'
import { moment } from '../../core/database/schema/columns'
import { devices } from './devices'

/**
 * Changes of connectivity and health that no event has announced yet: `was` is the state that was announced last. From `dueAt` on
 * the state that the device then has is announced, if it still is another one.
 */
export const deviceStateChanges = pgTable(
  'device_state_changes',
  {
    deviceId: text('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<'connectivity' | 'health'>().notNull(),
    was: text('was').notNull(),
    dueAt: moment('due_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.deviceId, table.kind] }), index('device_state_changes_due').on(table.dueAt)],
)

/**
 * The last times at which a device came back online, or became unhealthy, newest first and at most 24. `oftenAt`, the oldest of
 * the last `flapping.times`, finds the devices that flap by index.
 */
export const deviceFlaps = pgTable(
  'device_flaps',
  {
    deviceId: text('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    projectId: text('project_id').notNull(),
    kind: text('kind').$type<'connectivity' | 'health'>().notNull(),
    times: moment('times').array().notNull(),
    oftenAt: moment('often_at').generatedAlwaysAs(sql.raw(`times[${flapping.times}]`)),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.kind] }),
    index('device_flaps_often').on(table.projectId, table.oftenAt.desc()),
  ],
)
