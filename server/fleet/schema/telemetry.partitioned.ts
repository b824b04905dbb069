import { bigint, doublePrecision, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { UpdateEventType, UpdateState } from '../../../contract/device/update-events'
import { moment } from '../../core/database/schema/columns'

// Partitioned by time, project first: migration 0001_rules.sql holds the definitions.
const big = (name: string) => bigint(name, { mode: 'number' })
const place = { projectId: text('project_id').notNull(), deviceId: text('device_id').notNull() }

export const updateEvents = pgTable('update_events', {
  ...place,
  id: text('id').notNull(),
  eventId: text('event_id').notNull(),
  rolloutId: text('rollout_id'),
  releaseId: text('release_id'),
  version: big('version'),
  attempt: integer('attempt').notNull(),
  type: text('type').$type<UpdateEventType>().notNull(),
  fromState: text('from_state').$type<UpdateState>(),
  toState: text('to_state').$type<UpdateState>(),
  reasonCode: text('reason_code'),
  message: text('message'),
  progressPercent: doublePrecision('progress_percent'),
  bytesDone: big('bytes_done'),
  durationMs: big('duration_ms'),
  slot: text('slot'),
  bootId: text('boot_id'),
  keyFingerprint: text('key_fingerprint'),
  tsMs: big('ts_ms').notNull(),
  receivedAt: moment('received_at').notNull(),
  sequence: big('sequence'),
  source: text('source').$type<'device' | 'server'>().notNull(),
})

export const deviceLogs = pgTable('device_logs', {
  ...place,
  sequence: big('sequence').notNull(),
  tsMs: big('ts_ms').notNull(),
  receivedAt: moment('received_at').notNull(),
  /** Index in the eight syslog levels: smaller is worse. */
  level: integer('level').notNull(),
  unit: text('unit'),
  pid: big('pid'),
  bootId: text('boot_id'),
  message: text('message').notNull(),
  fields: jsonb('fields').$type<Record<string, string>>().notNull(),
})

export const metricPoints = pgTable('metric_points', {
  ...place,
  name: text('name').notNull(),
  at: moment('at').notNull(),
  value: doublePrecision('value').notNull(),
})

const summary = {
  n: big('n').notNull(),
  sum: doublePrecision('sum').notNull(),
  min: doublePrecision('min').notNull(),
  max: doublePrecision('max').notNull(),
}

/** One metric of one device in one hour. */
export const metricHours = pgTable('metric_hours', {
  ...place,
  name: text('name').notNull(),
  at: moment('at').notNull(),
  ...summary,
})

/** What a part of the fleet has in common; `all` is the whole fleet, and a device has one model, one release and any number of tags. */
export type GroupKind = 'all' | 'model' | 'release' | 'tag'

/** One metric of a part of the fleet in five minutes or an hour. `value`: a model, a displayed version, the id of a tag, or empty. */
export const groupMetrics = pgTable('group_metrics', {
  projectId: place.projectId,
  name: text('name').notNull(),
  kind: text('kind').$type<GroupKind>().notNull(),
  value: text('value').notNull(),
  stepS: integer('step_s').notNull(),
  at: moment('at').notNull(),
  ...summary,
  bins: integer('bins').array().notNull(),
  counts: integer('counts').array().notNull(),
})

/** One metric of the whole fleet in one minute or hour, with a sketch of the distribution (see telemetry/sketch). */
export const fleetMetrics = pgTable('fleet_metrics', {
  projectId: place.projectId,
  name: text('name').notNull(),
  stepS: integer('step_s').notNull(),
  at: moment('at').notNull(),
  ...summary,
  bins: integer('bins').array().notNull(),
  counts: integer('counts').array().notNull(),
})
