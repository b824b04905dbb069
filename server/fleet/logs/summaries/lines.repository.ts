import { and, asc, count, desc, eq, gte, lt, lte } from 'drizzle-orm'
import { deviceLogs } from '../../schema/telemetry.partitioned'
import type { Tx } from '../../../core/database/tx'
import { daysBefore } from '../../../core/days'
import { ERROR, type SummaryLine, WARNING } from './line'

type Device = { id: string; projectId: string }

/** Statistics of a week: the messages of warnings or worse as they were, and the number of errors. */
type RawPast = { messages: string[]; errors: number; hours: number }

/** More lines than a person would read, and no more than a second of work. */
const MOST_LINES = 20_000
const MOST_PAST = 5000
const WEEK_H = 168

const columns = {
  sequence: deviceLogs.sequence,
  tsMs: deviceLogs.tsMs,
  receivedAt: deviceLogs.receivedAt,
  level: deviceLogs.level,
  unit: deviceLogs.unit,
  bootId: deviceLogs.bootId,
  message: deviceLogs.message,
}
const ofDevice = ({ id, projectId }: Device) => and(eq(deviceLogs.projectId, projectId), eq(deviceLogs.deviceId, id))

const findBootBefore = async (tx: Tx, device: Device, line: SummaryLine | undefined): Promise<string | null> => {
  if (!line) return null
  const [before] = await tx
    .select({ bootId: deviceLogs.bootId })
    .from(deviceLogs)
    .where(and(ofDevice(device), lt(deviceLogs.sequence, line.sequence)))
    .orderBy(desc(deviceLogs.sequence))
    .limit(1)
  return before?.bootId ?? null
}

/** What a summary is made of, in parts: lines from the newest to the oldest, then what was before them. */
export type SummaryBatch =
  | { kind: 'lines'; lines: SummaryLine[] }
  | { kind: 'before'; isCut: boolean; bootBefore: string | null; past: RawPast }

/** So many lines the thread that answers requests passes on at once. */
const AT_ONCE = 2000

/** The lines that arrived in a time range, in the device's own order: the device's clock may be wrong, the server's is not. */
export async function* listSummaryBatches(tx: Tx, device: Device, from: Date, to: Date): AsyncGenerator<SummaryBatch> {
  let count = 0
  let oldest: SummaryLine | undefined
  for (;;) {
    const rows = await tx
      .select(columns)
      .from(deviceLogs)
      .where(
        and(
          ofDevice(device),
          gte(deviceLogs.receivedAt, from),
          lte(deviceLogs.receivedAt, to),
          oldest && lt(deviceLogs.sequence, oldest.sequence),
        ),
      )
      .orderBy(desc(deviceLogs.sequence))
      .limit(Math.min(AT_ONCE, MOST_LINES - count) + 1)
    const lines = rows
      .slice(0, Math.min(AT_ONCE, MOST_LINES - count))
      .map(({ receivedAt, ...line }) => ({ ...line, receivedMs: receivedAt.getTime() }))
    oldest = lines.at(-1) ?? oldest
    count += lines.length
    if (lines.length > 0) yield { kind: 'lines', lines }
    const hasMore = rows.length > lines.length
    if (hasMore && count < MOST_LINES) continue
    const bootBefore = await findBootBefore(tx, device, oldest)
    yield { kind: 'before', isCut: hasMore, bootBefore, past: await readPast(tx, device, from) }
    return
  }
}

/** Statistics of the week before the window, as far as its lines are kept. */
const readPast = async (tx: Tx, device: Device, from: Date): Promise<RawPast> => {
  const week = and(ofDevice(device), gte(deviceLogs.receivedAt, daysBefore(from, 7)), lt(deviceLogs.receivedAt, from))
  const bad = await tx
    .select({ message: deviceLogs.message })
    .from(deviceLogs)
    .where(and(week, lte(deviceLogs.level, WARNING)))
    .orderBy(desc(deviceLogs.sequence))
    .limit(MOST_PAST)
  const [errors] = await tx
    .select({ n: count() })
    .from(deviceLogs)
    .where(and(week, lte(deviceLogs.level, ERROR)))
  const [first] = await tx
    .select({ at: deviceLogs.receivedAt })
    .from(deviceLogs)
    .where(week)
    .orderBy(asc(deviceLogs.receivedAt))
    .limit(1)
  const hours = first ? Math.min(WEEK_H, (from.getTime() - first.at.getTime()) / 3_600_000) : 0
  return { messages: bad.map(({ message }) => message), errors: errors?.n ?? 0, hours }
}
