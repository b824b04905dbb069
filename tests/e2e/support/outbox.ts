import type { Locator, Page } from './browser'

/** The mails to an address in the page of the outbox, newest first. Tests share the host: its other mails are not theirs. */
export const mailsIn = (page: Page, email: string): Locator => page.getByRole('listitem').filter({ hasText: `to ${email} ·` })

/** The same, after the outbox of a local sign-in host was loaded. */
export const mailsTo = async (page: Page, hosts: { signIn: string }, email: string): Promise<Locator> => {
  await page.goto(`${hosts.signIn}/outbox`)
  return mailsIn(page, email)
}
