import { desc } from 'drizzle-orm'
import { mails } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'

export const listNewestMails = (tx: Tx, count: number): Promise<(typeof mails.$inferSelect)[]> =>
  tx.select().from(mails).orderBy(desc(mails.id)).limit(count)
