import { and, count, desc, eq, inArray } from 'drizzle-orm'
import type { LogSummary } from '../../../../contract/log-summaries'
import { logSummaries } from '../../schema/log-summaries'
import type { Tx } from '../../../core/database/tx'
import { newRow } from '../../../core/database/row'
import { type ListQuery, paging, toldTotal } from '../../../core/http/paging'
import { notFound } from '../../../core/http/refuse'
import { entityToJson, formatTimestamp } from '../../../core/timestamps'
import { hashOf, linesOf, pastOf } from './read'
import { engineVersion, summarize } from './summarize'

type LogSummaryRow = typeof logSummaries.$inferSelect
type Device = { id: string; projectId: string }

/** Older summaries than the newest so many are deleted: a summary can be made again. */
const KEPT = 50

export const logSummaryToJson = (row: LogSummaryRow): LogSummary => ({
  ...entityToJson(row),
  device_id: row.deviceId,
  from: formatTimestamp(row.from),
  to: formatTimestamp(row.to),
  state: 'ready',
  method: 'rules',
  engine_version: row.engineVersion,
  input_hash: row.inputHash,
  line_count: row.lineCount,
  cut: row.cut,
  verdict: row.verdict,
  ...row.content,
})

export const listSummaries = async (tx: Tx, deviceId: string, query: ListQuery) => {
  const page = paging(query, { created_at: logSummaries.createdAt }, logSummaries.id, '-created_at')
  const mine = eq(logSummaries.deviceId, deviceId)
  const rows = await tx
    .select()
    .from(logSummaries)
    .where(and(mine, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(logSummaries).where(mine)
  const cut = page.cut(rows, (row) => [row.createdAt.toISOString(), row.id])
  return { log_summaries: cut.rows.map(logSummaryToJson), next_cursor: cut.next_cursor, total: toldTotal(total?.n ?? 0) }
}

export const summaryById = async (tx: Tx, id: string): Promise<LogSummaryRow> => {
  const [row] = await tx.select().from(logSummaries).where(eq(logSummaries.id, id))
  return row ?? notFound()
}

export const makeSummary = async (tx: Tx, device: Device, from: Date, to: Date, now: Date): Promise<LogSummaryRow> => {
  const { lines, cut } = await linesOf(tx, device, from, to)
  const { verdict, content } = summarize({ lines, from, to, past: await pastOf(tx, device, from) })
  const row = {
    ...newRow(now),
    projectId: device.projectId,
    deviceId: device.id,
    from,
    to,
    engineVersion,
    inputHash: hashOf(lines),
    lineCount: lines.length,
    cut,
    verdict,
    content,
  }
  await tx.insert(logSummaries).values(row)
  const old = await tx
    .select({ id: logSummaries.id })
    .from(logSummaries)
    .where(eq(logSummaries.deviceId, device.id))
    .orderBy(desc(logSummaries.createdAt), desc(logSummaries.id))
    .offset(KEPT)
  if (old.length > 0)
    await tx.delete(logSummaries).where(
      inArray(
        logSummaries.id,
        old.map(({ id }) => id),
      ),
    )
  return row
}
