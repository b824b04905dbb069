import { and, asc, desc, eq, gt, ilike, inArray, lt, lte, sql } from 'drizzle-orm'
import { logFeeds } from '../schema/telemetry'
import { deviceLogs } from '../schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import { containing } from '../../core/http/paging'

type Owner = { projectId: string; deviceId: string }
export type LogRow = typeof deviceLogs.$inferSelect
export type FeedRow = typeof logFeeds.$inferSelect

/** Conditions of a list of log lines; `levelMax` is an index of the syslog levels. */
export type LogFilter = {
  q?: string | undefined
  levelMax?: number | undefined
  unit?: string | undefined
  bootId?: string | undefined
  afterSequence?: number | undefined
  beforeSequence?: number | undefined
}

const ofDevice = ({ projectId, deviceId }: Owner) => and(eq(deviceLogs.projectId, projectId), eq(deviceLogs.deviceId, deviceId))

/** At most `most` lines: after `afterSequence` the oldest first, otherwise the newest first. */
export const listLogLines = (tx: Tx, owner: Owner, filter: LogFilter, most: number): Promise<LogRow[]> => {
  const { q, levelMax, unit, bootId, afterSequence, beforeSequence } = filter
  return tx
    .select()
    .from(deviceLogs)
    .where(
      and(
        ofDevice(owner),
        afterSequence === undefined ? undefined : gt(deviceLogs.sequence, afterSequence),
        beforeSequence === undefined ? undefined : lt(deviceLogs.sequence, beforeSequence),
        levelMax === undefined ? undefined : lte(deviceLogs.level, levelMax),
        unit === undefined ? undefined : eq(deviceLogs.unit, unit),
        bootId === undefined ? undefined : eq(deviceLogs.bootId, bootId),
        q ? ilike(deviceLogs.message, containing(q)) : undefined,
      ),
    )
    .orderBy(afterSequence === undefined ? desc(deviceLogs.sequence) : asc(deviceLogs.sequence))
    .limit(most)
}

/** Which of these lines are stored, newest first. */
export const listStoredLines = async (
  tx: Tx,
  owner: Owner,
  sequences: number[],
): Promise<Pick<LogRow, 'sequence' | 'bootId'>[]> => {
  if (sequences.length === 0) return []
  return tx
    .select({ sequence: deviceLogs.sequence, bootId: deviceLogs.bootId })
    .from(deviceLogs)
    .where(and(ofDevice(owner), inArray(deviceLogs.sequence, sequences)))
    .orderBy(desc(deviceLogs.sequence))
}

type NewLine = Omit<LogRow, keyof Owner | 'receivedAt'>

/** Inserts lines by one array per column: the statement is the same for any number of them. */
export const insertLogLines = async (
  tx: Tx,
  { projectId, deviceId }: Owner,
  lines: readonly NewLine[],
  receivedAt: Date,
): Promise<void> => {
  if (lines.length === 0) return
  const column = (value: (line: NewLine) => unknown) => sql.param(lines.map(value))
  await tx.execute(sql`
    insert into ${deviceLogs} (project_id, device_id, received_at, sequence, ts_ms, level, unit, pid, boot_id, message, fields)
    select ${projectId}, ${deviceId}, ${receivedAt.toISOString()}::timestamptz, sequence, ts_ms, level, unit, pid, boot_id, message,
      fields::jsonb
    from unnest(
      ${column(({ sequence }) => sequence)}::bigint[], ${column(({ tsMs }) => tsMs)}::bigint[],
      ${column(({ level }) => level)}::smallint[], ${column(({ unit }) => unit)}::text[],
      ${column(({ pid }) => pid)}::bigint[], ${column(({ bootId }) => bootId)}::text[],
      ${column(({ message }) => message)}::text[], ${column(({ fields }) => JSON.stringify(fields))}::text[]
    ) as line (sequence, ts_ms, level, unit, pid, boot_id, message, fields)`)
}

export const findLogFeed = async (tx: Tx, deviceId: string): Promise<FeedRow | undefined> => {
  const [feed] = await tx.select().from(logFeeds).where(eq(logFeeds.deviceId, deviceId))
  return feed
}

/** Locks the feed of a device. The first batch of a device creates it with a full bucket. */
export const lockLogFeed = async (
  tx: Tx,
  fresh: Pick<FeedRow, 'projectId' | 'deviceId' | 'tokens' | 'refilledAt'>,
): Promise<FeedRow> => {
  await tx.insert(logFeeds).values(fresh).onConflictDoNothing()
  const [feed] = await tx.select().from(logFeeds).where(eq(logFeeds.deviceId, fresh.deviceId)).for('update')
  if (!feed) throw new Error('a new log feed does not exist')
  return feed
}

/** Changes a feed; `dropped` lines are added to those dropped before. */
export const updateLogFeed = async (
  tx: Tx,
  deviceId: string,
  { dropped, ...changes }: Omit<FeedRow, 'deviceId' | 'projectId'>,
): Promise<void> => {
  await tx
    .update(logFeeds)
    .set({ ...changes, dropped: sql`${logFeeds.dropped} + ${dropped}` })
    .where(eq(logFeeds.deviceId, deviceId))
}

/** After a new enrollment the device counts its lines anew, also within one boot. */
export const forgetBootOfLog = async (tx: Tx, deviceId: string): Promise<void> => {
  await tx.update(logFeeds).set({ bootId: null }).where(eq(logFeeds.deviceId, deviceId))
}
