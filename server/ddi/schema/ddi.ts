import { bigint, boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/schema/projects'
import { moment } from '../../core/database/schema/columns'
import { devices } from '../../fleet/schema/devices'
import { rollouts } from '../../updates/schema/rollouts'

const big = (name: string) => bigint(name, { mode: 'number' })
const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })
const deviceId = () =>
  text('device_id')
    .notNull()
    .references(() => devices.id, { onDelete: 'cascade' })

/** What only DDI knows about a device that uses it. */
export const ddiDevices = pgTable('ddi_devices', {
  deviceId: deviceId().primaryKey(),
  projectId: projectId(),
  /** The enrollment token by which the device was registered, and by which it authenticates. */
  gatewayTokenId: text('gateway_token_id'),
  /** Ids are not used twice, also after their action was deleted: clients remember the last one. */
  lastActionId: big('last_action_id'),
  /** When it last sent its attributes, and whether a person asks for them. */
  configAt: moment('config_at'),
  configAsked: boolean('config_asked').notNull().default(false),
  /** Whether the last poll linked to its attributes: during an update, two polls running do not. */
  configLinked: boolean('config_linked').notNull().default(false),
  /** The last report as it was sent, cut. */
  lastReport: text('last_report'),
  lastReportAt: moment('last_report_at'),
})

/** One attempt of a device update, by the number that the client knows. */
export const ddiActions = pgTable(
  'ddi_actions',
  {
    deviceId: deviceId(),
    id: big('id').notNull(),
    projectId: projectId(),
    rolloutId: text('rollout_id')
      .notNull()
      .references(() => rollouts.id, { onDelete: 'cascade' }),
    attempt: integer('attempt').notNull(),
    createdAt: moment('created_at').notNull(),
    /** The end of the bytes of the bundle that were sent so far. */
    servedTo: big('served_to').notNull().default(0),
    /** The client considers it done, or a later one has replaced it. */
    closedAt: moment('closed_at'),
    /** The client could not stop the update: it goes on. */
    cancelRefusedAt: moment('cancel_refused_at'),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.id] }),
    index('ddi_actions_rollout').on(table.rolloutId, table.deviceId),
  ],
)
