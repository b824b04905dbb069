import { product } from '../../../contract/core/limits'
import type { Endpoint } from '../../../contract/core/endpoint'
import type { Config } from '../../core/config'
import type { Call } from '../../core/http/call'
import { type Letter, queueMail } from '../../core/mail/queue-mail'

/** About a change of the account, so that its person notices one that they did not make. */
export const accountNotice = ({ urls }: Pick<Config, 'urls'>, to: string, subject: string, what: string): Letter => ({
  limited: false,
  to,
  subject: `${product.name}: ${subject}`,
  text: `${what}\n\nIf it was not you, choose a new password at ${urls['sign-in']}/forgot, which ends all sessions, and check the list of sessions under Account, Security.\n`,
})

/** Mails the user about a change of the account. */
export const sendAccountNotice = async (
  { tx, deps, user, afterCommit }: Call<Endpoint>,
  subject: string,
  what: string,
): Promise<void> => afterCommit(await queueMail(tx, deps, accountNotice(deps.config, user.email, subject, what)))
