import { and, asc, count, desc, eq, gte, lt, lte } from 'drizzle-orm'
import { deviceLogs } from '../../schema/telemetry.partitioned'
import type { Tx } from '../../../core/database/tx'
import { daysBefore } from '../../../core/days'
import { ERROR, type SummaryLine, WARNING } from './line'
import { masked } from './patterns'
import type { PastWeek } from './summarize'

type Device = { id: string; projectId: string }

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

/** The lines that arrived in a time range, in the device's own order: the device's clock may be wrong, the server's is not. */
export const listSummaryLines = async (
  tx: Tx,
  device: Device,
  from: Date,
  to: Date,
): Promise<{ lines: SummaryLine[]; cut: boolean; bootBefore: string | null }> => {
  const rows = await tx
    .select(columns)
    .from(deviceLogs)
    .where(and(ofDevice(device), gte(deviceLogs.receivedAt, from), lte(deviceLogs.receivedAt, to)))
    .orderBy(desc(deviceLogs.sequence))
    .limit(MOST_LINES + 1)
  const lines = rows
    .slice(0, MOST_LINES)
    .toReversed()
    .map(({ receivedAt, ...line }) => ({ ...line, receivedMs: receivedAt.getTime() }))
  return { lines, cut: rows.length > MOST_LINES, bootBefore: await findBootBefore(tx, device, lines[0]) }
}

/** Statistics of the week before the window, as far as its lines are kept. */
export const readPast = async (tx: Tx, device: Device, from: Date): Promise<PastWeek> => {
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
  return { messages: new Set(bad.map(({ message }) => masked(message))), errors: errors?.n ?? 0, hours }
}
