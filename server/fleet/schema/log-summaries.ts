import { boolean, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { LogSummary } from '../../../contract/fleet/log-summaries'
import { entity, moment } from '../../core/database/schema/columns'
import { devices } from './devices'
import { projects } from '../../accounts/schema/projects'

export type SummaryContent = Pick<
  LogSummary,
  | 'boot_count'
  | 'first_ts_ms'
  | 'last_ts_ms'
  | 'headline'
  | 'findings'
  | 'levels'
  | 'units'
  | 'templates'
  | 'timeline'
  | 'boots'
  | 'gaps'
>

export const logSummaries = pgTable(
  'log_summaries',
  {
    ...entity,
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    deviceId: text('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    from: moment('from').notNull(),
    to: moment('to').notNull(),
    engineVersion: integer('engine_version').notNull(),
    inputHash: text('input_hash').notNull(),
    lineCount: integer('line_count').notNull(),
    cut: boolean('cut').notNull(),
    verdict: text('verdict').$type<LogSummary['verdict']>().notNull(),
    content: jsonb('content').$type<SummaryContent>().notNull(),
  },
  (table) => [index('log_summaries_device').on(table.deviceId, table.id)],
)
