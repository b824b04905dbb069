import { createTransport } from 'nodemailer'
import { product } from '../../../contract/core/limits'
import type { Config } from '../config'
import type { Mailer } from '../deps'

// In milliseconds, well below the time after which the job retries.
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/**
 * Sends through `SMTP_URL`. Without it nothing is sent: in the local environment the sign-in host shows the mails at `/outbox`.
 */
export const openMailer = ({ smtpUrl, urls }: Config): Mailer => {
  if (smtpUrl === undefined) return async () => {}
  const transport = createTransport({ url: smtpUrl, ...timeouts })
  const from = `${product.name} <no-reply@${new URL(urls.console).hostname}>`
  return async (mail) => void (await transport.sendMail({ from, ...mail, headers: { ...mail.headers } }))
}
