import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { BulkAction, DeviceJob, RowResult } from '../../../contract/fleet/device-jobs'
import { entity, moment } from '../../core/database/schema/columns'
import { projects } from '../../accounts/schema/projects'

/** `tags` by id and name: a tag may be renamed while a job runs. */
export type JobArgs = {
  tags?: { id: string; name: string }[]
  until?: string
  project?: { id: string; name: string }
  without_trusted_key?: boolean
  /** A move from the other project: the undo of a move, but not the undo of that. */
  back?: boolean
}

/** Who asked for a job, as its audit entries name them. After their account is deleted, without their address and browser. */
export type JobMaker = {
  id: string
  name: string
  email: string | null
  credential: { kind: 'session' | 'access_token'; id: string; name?: string }
  sourceIp: string | null
  userAgent: string | null
  requestId: string
}

/** What a job has changed of one device: enough to undo it, and to see whether it is still as the job left it. */
export type RowChange =
  | { field: 'tags'; added: string[]; removed: string[] }
  | { field: 'updates_enabled'; before: boolean; after: boolean }
  | { field: 'updates_paused_until'; before: string | null; after: string | null }
  | {
      field: 'lifecycle'
      before: 'active' | 'disabled' | 'pending' | 'rejected'
      after: 'active' | 'disabled' | 'decommissioned'
    }
  /** The ids of the device in the two projects. */
  | { field: 'project'; before: string; after: string }

export const deviceJobs = pgTable(
  'device_jobs',
  {
    ...entity,
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** The audit chain of the project when the job was accepted. */
    chainId: text('chain_id').notNull(),
    action: text('action').$type<BulkAction>().notNull(),
    args: jsonb('args').$type<JobArgs>().notNull(),
    maker: jsonb('maker').$type<JobMaker>().notNull(),
    state: text('state').$type<DeviceJob['state']>().notNull(),
    stopReason: text('stop_reason'),
    finishedAt: moment('finished_at'),
    /** The last row that a batch has read. Rows whose devices were locked then are read again from the start. */
    position: integer('position').notNull().default(0),
    total: integer('total').notNull(),
    done: integer('done').notNull().default(0),
    unchanged: integer('unchanged').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    skipped: integer('skipped').notNull().default(0),
    undoOf: text('undo_of'),
    undoneBy: text('undone_by'),
  },
  (table) => [
    index('device_jobs_project').on(table.projectId, table.id),
    index('device_jobs_created').on(table.createdAt),
    index('device_jobs_running')
      .on(table.id)
      .where(sql`${table.state} = 'running'`),
  ],
)

/** The devices of a job, frozen when it was accepted. `given`: the change that an undo reverses. */
export const deviceJobRows = pgTable(
  'device_job_rows',
  {
    jobId: text('job_id')
      .notNull()
      .references(() => deviceJobs.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    deviceId: text('device_id').notNull(),
    name: text('name').notNull(),
    result: text('result').$type<Exclude<RowResult, 'cancelled'>>().notNull().default('waiting'),
    code: text('code'),
    message: text('message'),
    given: jsonb('given').$type<RowChange>(),
    change: jsonb('change').$type<RowChange>(),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.position] }),
    index('device_job_rows_result').on(table.jobId, table.result, table.position),
  ],
)
