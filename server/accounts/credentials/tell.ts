import { product } from '../../../contract/limits'
import type { Endpoint } from '../../../contract/endpoint'
import type { Call } from '../../core/http/call'
import { queueMail } from '../../core/mail/queue-mail'

/** A mail about what has just been done to the account, so that whoever did not do it learns of it. */
export const tell = async ({ tx, deps, user, afterwards }: Call<Endpoint>, subject: string, what: string): Promise<void> => {
  const base = deps.config.urls['sign-in']
  const text = `${what}\n\nIf it was not you: choose a new password at ${base}/forgot, which signs out everybody, and look at who is signed in under Account, Security.\n`
  afterwards(await queueMail(tx, deps, { limited: false, to: user.email, subject: `${product.name}: ${subject}`, text }))
}
