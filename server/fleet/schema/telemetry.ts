import { bigint, doublePrecision, index, integer, json, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from '../../core/database/schema/columns'
import { devices } from './devices'
import { projects } from '../../accounts/schema/projects'

const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })
const deviceId = () =>
  text('device_id')
    .notNull()
    .references(() => devices.id, { onDelete: 'cascade' })
const big = (name: string) => bigint(name, { mode: 'number' })

/** Times are in milliseconds. Without a level the value is healthy. */
type Reading = [
  at: number,
  value: number,
  level?: 'warning' | 'critical',
  since?: number | null,
  // Since when the value is below its level: the level falls only after `clear_after_s`.
  easedAt?: number | null,
]

/** The state of a device's log: its token bucket (T-19), its numbering, and the dropped lines. */
export const logFeeds = pgTable('log_feeds', {
  deviceId: deviceId().primaryKey(),
  projectId: projectId(),
  tokens: doublePrecision('tokens').notNull(),
  refilledAt: moment('refilled_at').notNull(),
  bootId: text('boot_id'),
  lastSequence: big('last_sequence').notNull().default(0),
  /** Added to the device's own numbers, so that one that starts again at 1 stays in order. */
  base: big('base').notNull().default(0),
  dropped: big('dropped').notNull().default(0),
  day: text('day').notNull().default(''),
  linesToday: big('lines_today').notNull().default(0),
  units: text('units').array().notNull().default([]),
})

/** Each boot that a device reported, by check-in or by a log line. */
export const deviceBoots = pgTable(
  'device_boots',
  {
    projectId: projectId(),
    deviceId: deviceId(),
    bootId: text('boot_id').notNull(),
    firstTsMs: big('first_ts_ms').notNull(),
    seenAt: moment('seen_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.bootId] }),
    index('device_boots_seen').on(table.deviceId, table.seenAt),
  ],
)

/** The newest values of a device: all in one row, because a batch of points changes most of them. */
export const latestMetrics = pgTable('latest_metrics', {
  deviceId: deviceId().primaryKey(),
  projectId: projectId(),
  /** Counts the changes: a batch that was made from an older state is stored again. */
  revision: integer('revision').notNull().default(1),
  /** Apart from the readings, because a batch seldom changes them. */
  metrics: jsonb('metrics').$type<[name: string, unit: string | null][]>().notNull(),
  /** Of each of the metrics, in their order. Not `jsonb`: only the program reads it. */
  readings: json('readings').$type<Reading[]>().notNull(),
})

/** Batches of points that the roll-ups of the fleet do not contain yet; one row each, so that no device waits for another. */
export const metricBatches = pgTable('metric_batches', {
  projectId: text('project_id').notNull(),
  deviceId: text('device_id').notNull(),
  names: text('names').array().notNull(),
  times: moment('times').array().notNull(),
  amounts: doublePrecision('amounts').array().notNull(),
})

/** Hours of devices to be computed again from their points, once they are over. */
export const staleHours = pgTable(
  'stale_hours',
  { at: moment('at').notNull(), projectId: text('project_id').notNull(), deviceId: text('device_id').notNull() },
  (table) => [primaryKey({ columns: [table.at, table.projectId, table.deviceId] })],
)
