import type { Locator, Page } from './browser'

/** The mails of a local sign-in host to an address, newest first. Tests share the host: its other mails are not theirs. */
export const mailsTo = async (page: Page, hosts: { signIn: string }, email: string): Promise<Locator> => {
  await page.goto(`${hosts.signIn}/outbox`)
  return page.getByRole('listitem').filter({ hasText: `to ${email} ·` })
}
