import { and, asc, eq } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { interstitials } from '../../schema/people'

export type InterstitialRow = typeof interstitials.$inferSelect

export const listInterstitials = (tx: Tx, userId: string): Promise<InterstitialRow[]> =>
  tx
    .select()
    .from(interstitials)
    .where(eq(interstitials.userId, userId))
    .orderBy(asc(interstitials.seenAt), asc(interstitials.interstitialId))

type Key = Pick<InterstitialRow, 'userId' | 'interstitialId'>

export const findInterstitial = async (tx: Tx, { userId, interstitialId }: Key): Promise<InterstitialRow | undefined> => {
  const [row] = await tx
    .select()
    .from(interstitials)
    .where(and(eq(interstitials.userId, userId), eq(interstitials.interstitialId, interstitialId)))
  return row
}

/** Undefined if it was recorded before. */
export const insertInterstitial = async (tx: Tx, row: InterstitialRow): Promise<InterstitialRow | undefined> => {
  const [inserted] = await tx.insert(interstitials).values(row).onConflictDoNothing().returning()
  return inserted
}
