import { and, eq, isNull } from 'drizzle-orm'
import { passwordResets } from '../schema/people'
import type { Tx } from '../../core/database/tx'
import { emptyMails } from '../../core/mail/queue-mail'

/** Ends a person's open reset links, also those in unsent mails. */
export const withdrawResets = async (tx: Tx, userId: string): Promise<void> => {
  const open = and(eq(passwordResets.userId, userId), isNull(passwordResets.usedAt))
  const ended = await tx.delete(passwordResets).where(open).returning({ tokenHash: passwordResets.tokenHash })
  await emptyMails(
    tx,
    ended.map(({ tokenHash }) => tokenHash),
  )
}
