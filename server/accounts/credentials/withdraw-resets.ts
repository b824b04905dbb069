import type { Tx } from '../../core/database/tx'
import { emptyMails } from '../../core/mail/queue-mail'
import { deleteOpenResets } from './password-resets.repository'

/** Ends a person's open reset links, also those in unsent mails. */
export const withdrawResets = async (tx: Tx, userId: string): Promise<void> => emptyMails(tx, await deleteOpenResets(tx, userId))
