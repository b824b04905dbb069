import { and, asc, count, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { RowResult } from '../../../contract/fleet/device-jobs'
import { newRow, rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { limitTotal, paging } from '../../core/http/paging'
import { notFound } from '../../core/http/refuse'
import { deviceJobRows, deviceJobs, type RowChange } from '../schema/device-jobs'

export type { JobArgs, JobMaker, RowChange } from '../schema/device-jobs'

export type JobRow = typeof deviceJobs.$inferSelect
export type JobDevice = typeof deviceJobRows.$inferSelect
/** What a batch did to one device. */
export type Outcome =
  | { result: 'done'; change: RowChange }
  | { result: 'unchanged' }
  | { result: 'failed' | 'skipped'; code: string; message: string }
type NewJob = Pick<JobRow, 'projectId' | 'chainId' | 'action' | 'args' | 'maker'> & { undoOf?: string }

/** Undos from before the direction was stored have none. */
export const isMoveBack = ({ args, undoOf }: Pick<JobRow, 'args' | 'undoOf'>): boolean => args.back ?? undoOf !== null

export const findJobProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [found] = await tx.select({ projectId: deviceJobs.projectId }).from(deviceJobs).where(eq(deviceJobs.id, id))
  return found
}

export const getJob = async (tx: Tx, id: string): Promise<JobRow> => {
  const [row] = await tx.select().from(deviceJobs).where(eq(deviceJobs.id, id))
  return row ?? notFound()
}

/** Waits for the batch that runs. */
export const lockJob = async (tx: Tx, id: string): Promise<JobRow> => {
  const [row] = await tx.select().from(deviceJobs).where(eq(deviceJobs.id, id)).for('update')
  return row ?? notFound()
}

/** Undefined if the job has ended, or another process runs a batch of it. */
export const lockRunningJob = async (tx: Tx, id: string): Promise<JobRow | undefined> => {
  const running = and(eq(deviceJobs.id, id), eq(deviceJobs.state, 'running'))
  const [row] = await tx.select().from(deviceJobs).where(running).for('update', { skipLocked: true })
  return row
}

/** The ids of the running jobs, oldest first. */
/** A condition. */
export const areJobsRunning = sql`exists (select from ${deviceJobs} where ${deviceJobs.state} = 'running')`

export const listRunningJobs = async (tx: Tx): Promise<string[]> => {
  const rows = await tx
    .select({ id: deviceJobs.id })
    .from(deviceJobs)
    .where(eq(deviceJobs.state, 'running'))
    .orderBy(asc(deviceJobs.id))
  return rows.map(({ id }) => id)
}

/** How many jobs of a project run. */
export const countRunningJobs = async (tx: Tx, projectId: string): Promise<number> => {
  const [running] = await tx
    .select({ n: count() })
    .from(deviceJobs)
    .where(and(eq(deviceJobs.projectId, projectId), eq(deviceJobs.state, 'running')))
  return running?.n ?? 0
}

/** A new job; its rows follow, and then their number. */
export const insertJob = async (tx: Tx, job: NewJob, now: Date): Promise<string> => {
  const row = { ...newRow(now), ...job, state: 'running' as const, total: 0 }
  await tx.insert(deviceJobs).values(row)
  return row.id
}

type Changes = Partial<Omit<JobRow, 'id' | 'createdAt' | 'updatedAt' | 'revision'>>

export const updateJob = async (tx: Tx, id: string, changes: Changes, now: Date): Promise<JobRow> => {
  const [row] = await tx
    .update(deviceJobs)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(deviceJobs.id, id))
    .returning()
  return row ?? notFound()
}

/** The devices that a job has changed, as the devices of the job that undoes it. Returns their number. */
export const insertUndoRows = async (tx: Tx, jobId: string, undoneId: string): Promise<number> => {
  const { rowCount } = await tx.execute(sql`
    insert into ${deviceJobRows} (job_id, position, device_id, name, given)
    select ${jobId}, row_number() over (order by position),
      case when change ->> 'field' = 'project' then change ->> 'after' else device_id end, name, change
    from ${deviceJobRows} where job_id = ${undoneId} and result = 'done'`)
  return rowCount ?? 0
}

/** The next devices that a job has not reached, after its position. */
export const listWaitingRows = (tx: Tx, { id, position }: JobRow, size: number): Promise<JobDevice[]> =>
  tx
    .select()
    .from(deviceJobRows)
    .where(and(eq(deviceJobRows.jobId, id), eq(deviceJobRows.result, 'waiting'), gt(deviceJobRows.position, position)))
    .orderBy(asc(deviceJobRows.position))
    .limit(size)

export const updateRowResults = async (tx: Tx, jobId: string, outcomes: ReadonlyMap<number, Outcome>): Promise<void> => {
  const results = JSON.stringify([...outcomes].map(([position, outcome]) => ({ position, ...outcome })))
  await tx.execute(sql`
    update ${deviceJobRows} set result = r.result, code = r.code, message = r.message, change = r.change
    from jsonb_to_recordset(${results}::jsonb) as r (position int, result text, code text, message text, change jsonb)
    where device_job_rows.job_id = ${jobId} and device_job_rows.position = r.position`)
}

type Page = { limit?: number; cursor?: string }

export const listJobs = async (tx: Tx, projectId: string, query: Page) => {
  const page = paging(query, { created_at: deviceJobs.createdAt }, deviceJobs.id, '-created_at')
  const ofProject = eq(deviceJobs.projectId, projectId)
  const found = await tx
    .select()
    .from(deviceJobs)
    .where(and(ofProject, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(deviceJobs).where(ofProject)
  const { rows, next_cursor } = page.cut(found, (row) => [row.createdAt.toISOString(), row.id])
  return { rows, next_cursor, total: limitTotal(total?.n ?? 0) }
}

/** Rows that no batch has reached are waiting, or cancelled if the job has ended. */
const hasResult = ({ state }: JobRow, result: RowResult): SQL | undefined => {
  if (result === 'cancelled') return state === 'running' ? sql`false` : eq(deviceJobRows.result, 'waiting')
  return result === 'waiting' && state !== 'running' ? sql`false` : eq(deviceJobRows.result, result)
}

/** One page of the devices of a job, by name. */
export const listJobRows = async (tx: Tx, job: JobRow, query: Page & { result?: RowResult }) => {
  const page = paging(query, { position: deviceJobRows.position }, deviceJobRows.deviceId, 'position')
  const found = await tx
    .select()
    .from(deviceJobRows)
    .where(and(eq(deviceJobRows.jobId, job.id), query.result && hasResult(job, query.result), page.after))
    .orderBy(...page.order)
    .limit(page.take)
  return page.cut(found, (row) => [row.position, row.deviceId])
}

/** The name of one device that a job has changed. */
export const findDoneName = async (tx: Tx, jobId: string): Promise<string> => {
  const [row] = await tx
    .select({ name: deviceJobRows.name })
    .from(deviceJobRows)
    .where(and(eq(deviceJobRows.jobId, jobId), eq(deviceJobRows.result, 'done')))
    .limit(1)
  return row?.name ?? ''
}

/** The first devices whose change has failed, or was skipped. */
export const listFirstFailures = (tx: Tx, jobId: string, most: number): Promise<JobDevice[]> =>
  tx
    .select()
    .from(deviceJobRows)
    .where(and(eq(deviceJobRows.jobId, jobId), inArray(deviceJobRows.result, ['failed', 'skipped'])))
    .orderBy(asc(deviceJobRows.result), asc(deviceJobRows.position))
    .limit(most)

/** Without their devices: those go with them. */
export const deleteJobsBefore = async (tx: Tx, time: Date): Promise<void> => {
  await tx.delete(deviceJobs).where(lt(deviceJobs.createdAt, time))
}
