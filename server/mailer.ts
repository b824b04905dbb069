import { createTransport } from 'nodemailer'
import { product } from '../contract/limits'
import type { Config } from './config'
import type { Mailer } from './deps'

/** Sends through `SMTP_URL`. Without it nothing is sent: locally the sign-in host shows the mails at `/outbox`. */
export const openMailer = ({ smtpUrl, urls }: Config): Mailer => {
  if (smtpUrl === undefined) return async () => {}
  const transport = createTransport(smtpUrl)
  const from = `${product.name} <no-reply@${new URL(urls.console).hostname}>`
  return async ({ to, subject, text }) => void (await transport.sendMail({ from, to, subject, text }))
}
