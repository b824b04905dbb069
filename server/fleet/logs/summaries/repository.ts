import { desc, eq, inArray } from 'drizzle-orm'
import { logSummaries } from '../../schema/log-summaries'
import type { Tx } from '../../../core/database/tx'
import { listPage } from '../../../core/http/list-page'
import type { ListQuery } from '../../../core/http/paging'
import { notFound } from '../../../core/http/refuse'

export type LogSummaryRow = typeof logSummaries.$inferSelect

export const listLogSummaries = (tx: Tx, deviceId: string, query: ListQuery) =>
  listPage(tx, query, {
    table: logSummaries,
    id: logSummaries.id,
    sorts: { created_at: logSummaries.createdAt },
    standard: '-created_at',
    matching: eq(logSummaries.deviceId, deviceId),
  })

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
