import { eq, getTableColumns, lte, sql } from 'drizzle-orm'
import { auditChains } from './schema/audit'
import { type ClockReading, clockReadings, idempotentAnswers, rateWindows } from './schema/plumbing'
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

const clockRow = 1

/** Locks the reading until the end of the transaction. */
export const findClockReading = async (tx: Tx): Promise<ClockReading | undefined> => {
  const { id: _, ...columns } = getTableColumns(clockReadings)
  const [row] = await tx.select(columns).from(clockReadings).where(eq(clockReadings.id, clockRow)).for('update')
  return row
}

/** A new installation stays empty, for a restore: it has nothing to lose, and gets no row. */
export const saveClockReading = async (tx: Tx, reading: ClockReading): Promise<void> => {
  const [used] = await tx.select({ id: auditChains.id }).from(auditChains).limit(1)
  if (!used) return
  await tx
    .insert(clockReadings)
    .values({ id: clockRow, ...reading })
    .onConflictDoUpdate({ target: clockReadings.id, set: reading })
}
