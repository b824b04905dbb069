import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { UpdateEvidence } from '../../../contract/ddi/confirm'
import type { UpdateState } from '../../../contract/device/update-events'
import {
  type Backoff,
  defaultBackoff,
  type Gate,
  type MaintenanceWindow,
  type Target,
} from '../../../contract/updates/rollout-plans'
import type { BulkChangeKind, Rollout, WaveStatus } from '../../../contract/updates/rollouts'
import type { Author } from '../../../contract/core/shapes'
import { rolloutMoves, type RolloutPhase } from '../../../machines/rollout/rollout.machine'
import { deviceUpdateMoves } from '../../../machines/device-update/device-update.machine'
import { textList } from '../../core/database/text-list'
import { entity, moment } from '../../core/database/schema/columns'
import { devices } from '../../fleet/schema/devices'
import { projects } from '../../accounts/schema/projects'
import { releases } from './releases'

const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })
const big = (name: string) => bigint(name, { mode: 'number' })

/**
 * A running change of many devices of the rollout: `after` is the last device of the last batch, `at` the time of the change in
 * ISO 8601.
 */
export type BulkChange = { kind: BulkChangeKind; at: string; reason: string | null; after: string }

/** The last device that was reviewed; `at`: its creation, as PostgreSQL writes it. */
export type ReviewPosition = { at: string; id: string }

/** The phases in which time alone can change something. */
const moving = textList(rolloutMoves.withTag('underway'))

export const rollouts = pgTable(
  'rollouts',
  {
    ...entity,
    projectId: projectId(),
    releaseId: text('release_id')
      .notNull()
      .references(() => releases.id, { onDelete: 'cascade' }),
    createdBy: jsonb('created_by').$type<Author>(),
    /** Incremented per project, so that default names are unique. */
    number: integer('number').notNull(),
    name: text('name').notNull(),
    target: jsonb('target').$type<Target>().notNull(),
    membership: text('membership').$type<Rollout['membership']>().notNull(),
    maxConcurrent: integer('max_concurrent').notNull(),
    startRatePerMin: integer('start_rate_per_min'),
    retries: integer('retries').notNull(),
    backoff: jsonb('backoff').$type<Backoff>().notNull().default(defaultBackoff),
    startAt: moment('start_at'),
    endAt: moment('end_at'),
    window: jsonb('window').$type<MaintenanceWindow>(),
    onFailure: text('on_failure').$type<Rollout['on_failure']>().notNull(),
    allowDowngrade: jsonb('allow_downgrade').$type<{ reason: string; version?: number }>(),
    priority: integer('priority').notNull(),
    requiresApproval: boolean('requires_approval').notNull(),
    approval: jsonb('approval').$type<{
      asked: Author
      decided: Author | null
      decision: string | null
      comment: string | null
    }>(),
    /** The state of the chart; users see filling and soaking as running. */
    phase: text('phase').$type<RolloutPhase>().notNull(),
    stateReason: text('state_reason'),
    withFailures: boolean('with_failures').notNull().default(false),
    currentWave: integer('current_wave').notNull().default(0),
    /** In the order in which they are applied (server/updates/rollouts/run/bulk-changes). */
    bulkChanges: jsonb('bulk_changes').$type<BulkChange[]>().notNull().default([]),
    previewHash: text('preview_hash').notNull(),
    overrideReason: text('override_reason'),
    /** The rollout whose devices return to their previous release. */
    rollsBackId: text('rolls_back_id'),
    startedAt: moment('started_at'),
    endedAt: moment('ended_at'),
    /** Membership `dynamic`: how far the devices of the project were reviewed, and when all of them were the last time. */
    reviewPosition: jsonb('review_position').$type<ReviewPosition>(),
    reviewedAt: moment('reviewed_at'),
  },
  (table) => [
    index('rollouts_by_created').on(table.projectId, table.createdAt, table.id),
    uniqueIndex('rollouts_project_number').on(table.projectId, table.number),
    index('rollouts_release').on(table.releaseId, table.createdAt, table.id),
    index('rollouts_moving')
      .on(table.projectId, table.phase)
      .where(sql`${table.phase} in ${moving}`),
    index('rollouts_bulk_changes')
      .on(table.id)
      .where(sql`${table.bulkChanges} <> '[]'`),
    index('rollouts_rolls_back')
      .on(table.rollsBackId, table.createdAt, table.id)
      .where(sql`${table.rollsBackId} is not null`),
  ],
)

const rolloutId = () =>
  text('rollout_id')
    .notNull()
    .references(() => rollouts.id, { onDelete: 'cascade' })

/** Devices that may match a dynamic rollout since `at`: triggers add those that have changed, the next tick takes them. */
export const rolloutReviews = pgTable(
  'rollout_reviews',
  { rolloutId: text('rollout_id').notNull(), deviceId: text('device_id').notNull(), at: moment('at').notNull() },
  (table) => [index('rollout_reviews_due').on(table.rolloutId, table.at)],
)

export const rolloutWaves = pgTable(
  'rollout_waves',
  {
    rolloutId: rolloutId(),
    n: integer('n').notNull(),
    /** Cumulative share of the targets up to the end of this wave. */
    percent: doublePrecision('percent').notNull(),
    /** The tag of a tag wave. */
    tag: text('tag'),
    /** Of another wave: cumulative share of the devices without the tag of any tag wave. Null in waves made before tag waves. */
    share: doublePrecision('share'),
    gate: jsonb('gate').$type<Gate>().notNull(),
    state: text('state').$type<WaveStatus['state']>().notNull(),
    successPercent: doublePrecision('success_percent'),
    failurePercent: doublePrecision('failure_percent'),
    startedAt: moment('started_at'),
    /** Devices of the wave in critical health when it opened; counted only for a health gate. */
    criticalBefore: integer('critical_before'),
    soakUntil: moment('soak_until'),
    /** Earlier failures were set aside when a person resumed; the gate counts what ends later. */
    countsFrom: moment('counts_from'),
  },
  (table) => [primaryKey({ columns: [table.rolloutId, table.n] })],
)

/** One update of one device. A trigger copies the current one to `devices`, for the lists. */
export const rolloutDevices = pgTable(
  'rollout_devices',
  {
    projectId: projectId(),
    rolloutId: rolloutId(),
    deviceId: text('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    /** That of the device, kept by a trigger: lists of a rollout are in the order of the names. */
    name: text('name').notNull(),
    wave: integer('wave').notNull(),
    state: text('state').$type<UpdateState>().notNull(),
    since: moment('since').notNull(),
    reason: text('reason'),
    attempt: integer('attempt').notNull().default(1),
    /** Not offered before: back-off after a failure, or a deferral by the device. */
    notBefore: moment('not_before'),
    offeredAt: moment('offered_at'),
    progress: doublePrecision('progress'),
    bytesDone: big('bytes_done'),
    bytesTotal: big('bytes_total'),
    /** The last time that the download progressed, for its time limit. */
    grownAt: moment('grown_at'),
    errorCode: text('error_code'),
    errorText: text('error_text'),
    /** The previous release: the target of a rollback. */
    fromReleaseId: text('from_release_id'),
    fromVersion: big('from_version'),
    fromDisplayVersion: text('from_display_version'),
    /** Why it keeps the release although the rollout was rolled back. */
    stays: text('stays'),
    /** The boot of the device at the offer, or later while it installs; null if it is not known. */
    offerBootId: text('offer_boot_id'),
    /** What the device said about its version before the offer: the same text later proves nothing. */
    offerVersionText: text('offer_version_text'),
    /** What the device last said about its version since its claim or restart, or what confirmed the update. */
    evidence: jsonb('evidence').$type<UpdateEvidence>(),
    /** Asked to stop, or given up: one that succeeds all the same keeps it, so that a tick finds it. */
    abortAsked: boolean('abort_asked').notNull().default(false),
    /** The shard of the rollout by which it was last offered. */
    shard: integer('shard').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.rolloutId, table.deviceId] }),
    index('rollout_devices_device').on(table.deviceId, table.rolloutId),
    // A list of the devices of several waves and states is merged from those of each.
    index('rollout_devices_state').on(table.rolloutId, table.wave, table.state, table.name, table.deviceId),
    index('rollout_devices_offered')
      .on(table.rolloutId, table.offeredAt)
      .where(sql`${table.offeredAt} is not null`),
    index('rollout_devices_active')
      .on(table.rolloutId, table.state, table.since)
      .where(sql`${table.state} in ${textList(deviceUpdateMoves.withTag('active'))}`),
    // Updates that have ended although their device may finish, or has finished, the release.
    index('rollout_devices_may_finish')
      .on(table.rolloutId)
      .where(
        sql`${table.state} = 'timed_out' or (${table.state} = 'cancelled' and ${table.offeredAt} is not null)
          or (${table.state} = 'succeeded' and ${table.abortAsked})`,
      ),
  ],
)

export const rolloutTimeline = pgTable(
  'rollout_timeline',
  {
    id: text('id').primaryKey(),
    projectId: projectId(),
    rolloutId: rolloutId(),
    at: moment('at').notNull(),
    kind: text('kind').notNull(),
    text: text('text').notNull(),
    wave: integer('wave'),
    by: text('by'),
  },
  (table) => [index('rollout_timeline_rollout').on(table.rolloutId, table.id)],
)
