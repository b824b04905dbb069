import { desc } from 'drizzle-orm'
import { mails } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'

export const listNewestMails = (tx: Tx, count: number): Promise<(typeof mails.$inferSelect)[]> =>
  tx.select().from(mails).orderBy(desc(mails.id)).limit(count)

/** A mail that is only shown in the outbox: where it came from sends it. */
export const insertShownMail = async (
  tx: Tx,
  { at, ...mail }: { id: string; to: string; subject: string; text: string; at: Date },
): Promise<void> => {
  await tx.insert(mails).values({ ...mail, recipient: null, linkHash: null, createdAt: at, nextTryAt: null, sentAt: at })
}
