import { and, asc, desc, eq, gte, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import { examinedLines } from '../../../contract/fleet/device-logs'
import { devices } from '../schema/devices'
import { logFeeds } from '../schema/telemetry'
import { deviceLogs } from '../schema/telemetry.partitioned'
import { createDictionary, numbersLiteral } from '../../core/database/literals'
import { runPrepared } from '../../core/database/prepared'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'
import type { DeviceRow } from '../devices/repository'

type Owner = { projectId: string; deviceId: string }
export type LogRow = typeof deviceLogs.$inferSelect
export type FeedRow = typeof logFeeds.$inferSelect

/** Conditions of a list of log lines; `levelMax` is an index of the syslog levels. Bounds of sequences: the first, and one after the last. */
export type LogFilter = {
  q?: string | undefined
  levelMax?: number | undefined
  units?: readonly string[] | undefined
  bootId?: string | undefined
  fromSequence?: number | undefined
  untilSequence?: number | undefined
}

export type LogDirection = 'older' | 'newer'

const ofDevice = ({ projectId, deviceId }: Owner) => and(eq(deviceLogs.projectId, projectId), eq(deviceLogs.deviceId, deviceId))

/** Errors and warnings each have an index: literals, so that the planner sees that it may be used. */
const byLevel: Readonly<Record<number, SQL>> = { 3: sql`level <= 3`, 4: sql`level <= 4` }

const inBounds = (owner: Owner, { levelMax, fromSequence, untilSequence }: LogFilter) =>
  and(
    ofDevice(owner),
    fromSequence === undefined ? undefined : gte(deviceLogs.sequence, fromSequence),
    untilSequence === undefined ? undefined : lt(deviceLogs.sequence, untilSequence),
    levelMax === undefined ? undefined : byLevel[levelMax],
  )

/** By what no index knows. */
const isNarrowed = ({ q, levelMax, units, bootId }: LogFilter) =>
  (q ?? '') !== '' || (levelMax !== undefined && !(levelMax in byLevel)) || units !== undefined || bootId !== undefined

type Found = {
  rows: LogRow[]
  /** The last sequence number that was looked at, if there may be more lines behind it. */
  edge: number | null
}

/**
 * At most `most` lines in one direction. With conditions on their content, of the next `examinedLines` lines only: in a log of any
 * length a request reads as much.
 */
export const listLogLines = async (
  tx: Tx,
  owner: Owner,
  filter: LogFilter,
  direction: LogDirection,
  most: number,
): Promise<Found> => {
  const { q, levelMax, units, bootId } = filter
  const along = direction === 'older' ? desc : asc
  const bounds = inBounds(owner, filter)
  const examined = tx
    .select()
    .from(deviceLogs)
    .where(bounds)
    .orderBy(along(deviceLogs.sequence))
    .limit(isNarrowed(filter) ? examinedLines : most + 1)
    .as('examined')
  const found = await tx
    .select()
    .from(examined)
    .where(
      and(
        levelMax === undefined ? undefined : lte(examined.level, levelMax),
        units === undefined ? undefined : inArray(examined.unit, [...units]),
        bootId === undefined ? undefined : eq(examined.bootId, bootId),
        q ? containsText(examined.message, q) : undefined,
      ),
    )
    .orderBy(along(examined.sequence))
    .limit(most + 1)
  const rows = found.slice(0, most)
  if (found.length > most) return { rows, edge: rows.at(-1)?.sequence ?? null }
  if (!isNarrowed(filter)) return { rows, edge: null }
  const [last] = await tx
    .select({ sequence: deviceLogs.sequence })
    .from(deviceLogs)
    .where(bounds)
    .orderBy(along(deviceLogs.sequence))
    .offset(examinedLines - 1)
    .limit(1)
  return { rows, edge: last?.sequence ?? null }
}

/** The oldest or the newest line of a device. */
export const findEndOfLog = async (
  tx: Tx,
  owner: Owner,
  end: 'oldest' | 'newest',
): Promise<Pick<LogRow, 'sequence' | 'tsMs' | 'receivedAt'> | undefined> => {
  const [row] = await tx
    .select({ sequence: deviceLogs.sequence, tsMs: deviceLogs.tsMs, receivedAt: deviceLogs.receivedAt })
    .from(deviceLogs)
    .where(ofDevice(owner))
    .orderBy((end === 'oldest' ? asc : desc)(deviceLogs.sequence))
    .limit(1)
  return row
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

export const findLogFeed = async (tx: Tx, deviceId: string): Promise<FeedRow | undefined> => {
  const [feed] = await tx.select().from(logFeeds).where(eq(logFeeds.deviceId, deviceId))
  return feed
}

/** What a batch of log lines needs of its device; it has no feed before its first batch. */
export type LoggingDevice = Pick<DeviceRow, 'lifecycle'> & { feed: FeedRow | null }

/** A device with its feed, read together. */
export const findLoggingDevice = async (tx: Tx, deviceId: string): Promise<LoggingDevice> => {
  const [found] = await tx
    .select({ lifecycle: devices.lifecycle, feed: logFeeds })
    .from(devices)
    .leftJoin(logFeeds, eq(logFeeds.deviceId, devices.id))
    .where(eq(devices.id, deviceId))
  return found ?? refuse(401, 'unauthenticated')
}

// Most of the time of the statement's start is that of writing and reading its values: units and boots are numbered, and the messages,
// which contain no line feed, are lines of one text.
const storeText = `
  with lines as (
    insert into device_logs (project_id, device_id, received_at, sequence, ts_ms, level, unit, pid, boot_id, message, fields)
    select $1::text, $2::text, $3::timestamptz, sequence, ts_ms, level, ($28::text[])[unit], pid, ($28::text[])[boot],
      -- A single empty message is no line.
      coalesce(message, ''), coalesce(fields::jsonb, '{}')
    from unnest($4::bigint[], $5::bigint[], $6::smallint[], $7::int[], $8::bigint[], $9::int[], string_to_array($10::text, E'\\n'), $11::text[])
      as line (sequence, ts_ms, level, unit, pid, boot, message, fields)
  ),
  boots as (
    insert into device_boots (project_id, device_id, boot_id, first_ts_ms, seen_at)
    select $1::text, $2::text, boot_id, first_ts_ms, $3::timestamptz
    from unnest($12::text[], $13::bigint[]) as boot (boot_id, first_ts_ms)
    on conflict do nothing
  ),
  feed as (
    insert into log_feeds as known
      (project_id, device_id, refilled_at, tokens, boot_id, last_sequence, base, dropped, day, lines_today, units)
    values ($1, $2, $3, $14, $15, $16, $17, $18, $19, $20, $21)
    on conflict (device_id) do update set refilled_at = excluded.refilled_at, tokens = excluded.tokens,
      boot_id = excluded.boot_id, last_sequence = excluded.last_sequence, base = excluded.base,
      dropped = known.dropped + excluded.dropped, day = excluded.day, lines_today = excluded.lines_today, units = excluded.units
    where (known.refilled_at, known.tokens, known.boot_id, known.last_sequence, known.base, known.lines_today)
      is not distinct from ($22::timestamptz, $23::float8, $24::text, $25::bigint, $26::bigint, $27::bigint)
    returning 1
  )
  select require_rows((select count(*) from feed), 1)`

type NewLine = Omit<LogRow, keyof Owner | 'receivedAt'>
type Boot = { bootId: string; firstTsMs: number }
export type NewLines = {
  lines: readonly NewLine[]
  boots: readonly Boot[]
  /** The feed that these lines follow; null if the device had none. */
  was: FeedRow | null
  /** `dropped` is added to the lines that were dropped before. */
  feed: Omit<FeedRow, keyof Owner>
}

/**
 * Inserts lines and boots and changes the feed, in one statement for any number of them. If the feed is not the one that was read,
 * it fails as a conflict of transactions: another batch of the device came first.
 */
export const insertLogLines = async (
  tx: Tx,
  { projectId, deviceId }: Owner,
  { lines, boots, was, feed }: NewLines,
): Promise<void> => {
  const { texts, numberOf } = createDictionary()
  const column = (of: (line: NewLine) => number | null) => numbersLiteral(lines.map(of))
  const hasFields = lines.some(({ fields }) => Object.keys(fields).length > 0)
  await runPrepared(tx, 'store_log_lines', storeText, [
    projectId,
    deviceId,
    feed.refilledAt.toISOString(),
    column(({ sequence }) => sequence),
    column(({ tsMs }) => tsMs),
    column(({ level }) => level),
    column(({ unit }) => numberOf(unit)),
    lines.some(({ pid }) => pid !== null) ? column(({ pid }) => pid) : null,
    column(({ bootId }) => numberOf(bootId)),
    lines.map(({ message }) => message).join('\n'),
    hasFields ? lines.map(({ fields }) => JSON.stringify(fields)) : null,
    boots.map(({ bootId }) => bootId),
    boots.map(({ firstTsMs }) => firstTsMs),
    feed.tokens,
    feed.bootId,
    feed.lastSequence,
    feed.base,
    feed.dropped,
    feed.day,
    feed.linesToday,
    feed.units,
    was?.refilledAt.toISOString() ?? null,
    was?.tokens ?? null,
    was?.bootId ?? null,
    was?.lastSequence ?? null,
    was?.base ?? null,
    was?.linesToday ?? null,
    texts(),
  ])
}

/** After a new enrollment the device counts its lines anew, also within one boot. */
export const forgetBootOfLog = async (tx: Tx, deviceId: string): Promise<void> => {
  await tx.update(logFeeds).set({ bootId: null }).where(eq(logFeeds.deviceId, deviceId))
}
