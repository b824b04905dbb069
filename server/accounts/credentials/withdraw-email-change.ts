import type { Tx } from '../../core/database/tx'
import { emptyMails } from '../../core/mail/queue-mail'
import { deleteEmailChange, type EmailChangeRow } from './email-changes.repository'

/** Ends a person's change of the address, also its links in unsent mails; undefined without one. */
export const withdrawEmailChange = async (tx: Tx, userId: string): Promise<EmailChangeRow | undefined> => {
  const change = await deleteEmailChange(tx, userId)
  if (change) await emptyMails(tx, [change.oldHash, change.newHash])
  return change
}
