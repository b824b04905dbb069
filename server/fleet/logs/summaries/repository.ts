import { and, count, desc, eq, inArray } from 'drizzle-orm'
import { logSummaries } from '../../schema/log-summaries'
import type { Tx } from '../../../core/database/tx'
import { type ListQuery, paging, limitTotal } from '../../../core/http/paging'
import { notFound } from '../../../core/http/refuse'

export type LogSummaryRow = typeof logSummaries.$inferSelect

export const listLogSummaries = async (tx: Tx, deviceId: string, query: ListQuery) => {
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
  return { ...cut, total: limitTotal(total?.n ?? 0) }
}

export const getLogSummary = async (tx: Tx, id: string): Promise<LogSummaryRow> => {
  const [row] = await tx.select().from(logSummaries).where(eq(logSummaries.id, id))
  return row ?? notFound()
}

export const findLogSummaryProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [row] = await tx.select({ projectId: logSummaries.projectId }).from(logSummaries).where(eq(logSummaries.id, id))
  return row
}

export const insertLogSummary = async (tx: Tx, row: LogSummaryRow): Promise<void> => {
  await tx.insert(logSummaries).values(row)
}

/** Deletes the summaries of a device but the newest `kept`. */
export const deleteOldLogSummaries = async (tx: Tx, deviceId: string, kept: number): Promise<void> => {
  const old = await tx
    .select({ id: logSummaries.id })
    .from(logSummaries)
    .where(eq(logSummaries.deviceId, deviceId))
    .orderBy(desc(logSummaries.createdAt), desc(logSummaries.id))
    .offset(kept)
  if (old.length > 0)
    await tx.delete(logSummaries).where(
      inArray(
        logSummaries.id,
        old.map(({ id }) => id),
      ),
    )
}
