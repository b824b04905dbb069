import { product } from '../../../contract/limits'
import type { Endpoint } from '../../../contract/endpoint'
import type { Call } from '../../core/http/call'
import { queueMail } from '../../core/mail/queue-mail'

/** Mails the user about a change of the account, so that they notice a change they did not make. */
export const sendAccountNotice = async (
  { tx, deps, user, afterCommit }: Call<Endpoint>,
  subject: string,
  what: string,
): Promise<void> => {
  const base = deps.config.urls['sign-in']
  const text = `${what}\n\nIf it was not you, choose a new password at ${base}/forgot, which ends all sessions, and check the list of sessions under Account, Security.\n`
  afterCommit(await queueMail(tx, deps, { limited: false, to: user.email, subject: `${product.name}: ${subject}`, text }))
}
