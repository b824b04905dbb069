import { and, count, eq, gt, lte, min, sql } from 'drizzle-orm'
import { signInFailures } from '../../core/database/schema/plumbing'
import type { Tx } from '../../core/database/tx'

/** Lets one caller at a time count and record attempts of a pair. */
export const lockPair = async (tx: Tx, pair: string): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${pair}, 1))`)
}

/** How many attempts of a pair have failed since a time, and when the first of them did. */
export const countFailures = async (tx: Tx, pair: string, since: Date) => {
  const [failed] = await tx
    .select({ n: count(), first: min(signInFailures.failedAt) })
    .from(signInFailures)
    .where(and(eq(signInFailures.pair, pair), gt(signInFailures.failedAt, since)))
  return { count: failed?.n ?? 0, first: failed?.first ?? null }
}

export const insertFailure = async (tx: Tx, row: typeof signInFailures.$inferSelect): Promise<void> => {
  await tx.insert(signInFailures).values(row)
}

export const deleteFailuresOf = async (tx: Tx, pair: string): Promise<void> => {
  await tx.delete(signInFailures).where(eq(signInFailures.pair, pair))
}

export const deleteFailuresUntil = async (tx: Tx, time: Date): Promise<void> => {
  await tx.delete(signInFailures).where(lte(signInFailures.failedAt, time))
}
