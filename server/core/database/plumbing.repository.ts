import { lte, sql } from 'drizzle-orm'
import { idempotentAnswers, rateWindows } from './schema/plumbing'
import type { Tx } from './tx'

export const deleteExpiredAnswers = async (tx: Tx, now: Date): Promise<void> => {
  await tx.delete(idempotentAnswers).where(lte(idempotentAnswers.expiresAt, now))
}

export const deleteRateWindows = async (tx: Tx, startedUntil: Date): Promise<void> => {
  await tx.delete(rateWindows).where(lte(rateWindows.startedAt, startedUntil))
}

/** Creates the partitions of the audit log of this month and the two that follow. */
export const createAuditPartitions = async (tx: Tx, now: Date): Promise<void> => {
  const today = now.toISOString().slice(0, 10)
  await tx.execute(sql`select make_partitions('audit_entries', ${today}::date, 3)`)
}
