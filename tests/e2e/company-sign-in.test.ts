import { afterAll, beforeAll, expect, it } from 'vitest'
import { startIdentityProvider } from '../support/identity-provider'
import { checkInThemes } from './every-route/check-in-themes'
import { openPageCheck, withAxe } from './every-route/check-page'
import type { Page } from './support/browser'
import { useConsole } from './support/console'
import { newUser } from './support/hosts'

// The hosts are configured with its address, so it starts before them.
const provider = await startIdentityProvider()
const { hosts, open } = useConsole(provider.variables)
beforeAll(() => {
  const redirectUri = `${hosts().signIn}/signin/oidc/callback`
  return provider.set({ redirectUri, logoutUri: `${hosts().signIn}/signin/oidc/logout` })
})
afterAll(() => provider.stop())

const begin = async (page: Page) => {
  await page.goto(hosts().console)
  await page.waitForURL(`${hosts().signIn}/signin**`)
}
/** Through the page of the provider, and back. */
const continueWith = async (page: Page, login: string) => {
  await page.getByRole('link', { name: 'Continue with Hedgerow' }).click()
  await page.getByLabel('Account').fill(login)
  await page.getByRole('button', { name: 'Log in' }).click()
}
const openSecurity = async (page: Page) => {
  await page.waitForURL(`${hosts().console}/organizations/**`)
  const questionnaire = page.getByRole('button', { name: 'Dismiss' })
  await page.getByText('local', { exact: true }).waitFor()
  if (await questionnaire.isVisible()) await questionnaire.click()
  await page.goto(`${hosts().console}/account/settings/security`)
  return page.getByRole('region', { name: 'Company account' })
}

it('signs a new person in through the provider, and out when the provider says so', async () => {
  await provider.set({ accounts: { mara: { email: 'mara@hedgerow.example', email_verified: true, name: 'Mara Finch' } } })
  const page = await (await open()).newPage()
  await begin(page)
  await continueWith(page, 'mara')
  const panel = await openSecurity(page)
  await panel.getByText('mara@hedgerow.example of Hedgerow').waitFor()
  // The account has no password: nothing else could sign in.
  await expect.poll(() => panel.getByRole('button', { name: 'Disconnect' }).getAttribute('aria-disabled')).toBe('true')
  await page.goto(`${provider.issuer}/session/end`)
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Logged out' }).waitFor()
  await begin(page)
  await page.getByRole('link', { name: 'Continue with Hedgerow' }).waitFor()
})

it('connects an existing account by its password once; it can be disconnected, and connected again', async () => {
  const person = await newUser(hosts())
  await provider.set({ accounts: { paul: { email: person.email, email_verified: true, name: person.name } } })
  const context = await open()
  await withAxe(context)
  const page = await context.newPage()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const { settle } = openPageCheck(page)
  const findings: string[] = []
  const look = async (name: string) => {
    findings.push(...(await checkInThemes(page, settle, `company ${name}`)).map((one) => `${name}: ${one}`))
  }
  await begin(page)
  await look('sign-in')
  await continueWith(page, 'paul')
  await page.getByRole('heading', { name: 'Connect your account' }).waitFor()
  await look('connect')
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Connect and sign in' }).click()
  await page.getByText('This is not the password of this account').waitFor()
  await look('connect-wrong')
  await page.getByRole('button', { name: 'Send me a code instead' }).click()
  await page.getByLabel('Code').waitFor()
  await look('connect-code')
  await page.getByRole('button', { name: 'Use the password instead' }).click()
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Connect and sign in' }).click()

  const panel = await openSecurity(page)
  await panel.getByText('Connected', { exact: true }).waitFor()
  await look('security')
  await panel.getByRole('button', { name: 'Disconnect' }).click()
  const dialog = page.getByRole('dialog', { name: 'Disconnect company account' })
  await dialog.getByLabel(/^Password/).fill(person.password)
  await look('disconnect')
  await dialog.getByRole('button', { name: 'Disconnect' }).click()
  await panel.getByText('Not connected').waitFor()

  // The provider has a session of this browser: it asks no more.
  await page.context().clearCookies({ domain: 'localhost', name: 'teasel_sign_in' })
  await page.goto(`${hosts().signIn}/signin`)
  await page.getByRole('link', { name: 'Continue with Hedgerow' }).click()
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Connect and sign in' }).click()
  await page.waitForURL(`${hosts().console}/**`)

  await page.goto(`${hosts().signIn}/signin/oidc/callback?code=made-up&state=unknown`)
  await page.getByRole('heading', { name: 'Sign-in did not complete' }).waitFor()
  await page.getByText('state_unknown').waitFor()
  await look('refused')
  expect(findings).toEqual([])
})

/** The page names the refusal, and nobody is signed in: the console leads to the sign-in page. */
const expectRefused = async (page: Page, code: string) => {
  await page.getByRole('heading', { name: 'Sign-in did not complete' }).waitFor()
  await page.getByText(code, { exact: true }).waitFor()
  await begin(page)
  await page.getByRole('link', { name: 'Continue with Hedgerow' }).waitFor()
}

it.each([
  ['forged', { fault: 'forged' }, 'token_signature'],
  ['expired', { fault: 'expired' }, 'token_expired'],
  ['for another application', { fault: 'audience' }, 'token_audience'],
  ['of another issuer', { fault: 'issuer' }, 'token_issuer'],
  ['of an address that is not verified', { verified: false }, 'address_unverified'],
] as const)('refuses an answer of the provider that is %s, and names why', async (_, answer, code) => {
  const email_verified = !('verified' in answer)
  // Only a new person's address must be verified: others are known by their subject.
  const login = email_verified ? 'finn' : 'ivo'
  await provider.set({ accounts: { [login]: { email: `${login}@hedgerow.example`, email_verified, name: 'Finn Ash' } } })
  const page = await (await open()).newPage()
  await begin(page)
  if ('fault' in answer) await provider.set({ fault: answer.fault })
  await continueWith(page, login)
  await expectRefused(page, code)
  // The same person and browser, without the fault.
  if (email_verified) {
    await page.getByRole('link', { name: 'Continue with Hedgerow' }).click()
    await page.waitForURL(`${hosts().console}/organizations/**`)
  }
})

it('refuses the way back from the provider a second time, also in another browser', async () => {
  await provider.set({ accounts: { greta: { email: 'greta@hedgerow.example', email_verified: true, name: 'Greta Fir' } } })
  const page = await (await open()).newPage()
  await begin(page)
  const returning = page.waitForRequest((request) => request.url().startsWith(`${hosts().signIn}/signin/oidc/callback`))
  await continueWith(page, 'greta')
  const callback = (await returning).url()
  await page.waitForURL(`${hosts().console}/organizations/**`)
  await page.goto(callback)
  await page.getByText('state_unknown', { exact: true }).waitFor()
  const other = await (await open()).newPage()
  await other.goto(callback)
  await expectRefused(other, 'state_unknown')
})
