import { and, eq, lte } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { knownBrowsers } from '../schema/notifications'

/** Whether the person has signed in with this browser before; from now on they have. */
export const recordBrowser = async (tx: Tx, userId: string, browserHash: string, now: Date): Promise<boolean> => {
  const isThis = and(eq(knownBrowsers.userId, userId), eq(knownBrowsers.browserHash, browserHash))
  const used = await tx.update(knownBrowsers).set({ lastUsedAt: now }).where(isThis).returning()
  if (used.length > 0) return true
  await tx.insert(knownBrowsers).values({ userId, browserHash, lastUsedAt: now }).onConflictDoNothing()
  return false
}

export const deleteBrowsersBefore = async (tx: Tx, time: Date): Promise<void> => {
  await tx.delete(knownBrowsers).where(lte(knownBrowsers.lastUsedAt, time))
}
