import type { Page } from 'playwright-core'
import type { AnswerOf } from '../../../contract/core/endpoint'
import { interstitials, onboardingKey } from '../../../contract/accounts/interstitials'
import { mailsTo } from './outbox'
import type { Hosts } from './visitor'

export type Person = { name: string; email: string; password: string }

export const someone = (name = 'Ines Marlow'): Person => ({
  name,
  email: `${name.split(' ')[0]?.toLowerCase()}.${Math.random().toString(36).slice(2, 8)}@hedgerow.example`,
  password: 'seven quiet herons wade',
})
/** Of the password of `someone`. */
export const passwordHash = 'scrypt$dMqEG8S066lBQ2E8smr81g$G-JsjbquII0ofv0pVl481KKgqASFgRH-_pU2ygv-1e0'

/** Opens the console by `enter`. A user who has not answered the questionnaire dismisses it here. */
const arrive = async (page: Page, product: Hosts, enter: () => Promise<void>): Promise<void> => {
  const [answer] = await Promise.all([
    page.waitForResponse(
      (response) => response.url() === `${product.api}${interstitials.path}` && response.request().method() === 'GET',
    ),
    enter(),
    page.waitForURL(`${product.console}/organizations/**`),
  ])
  const { interstitials: seen } = (await answer.json()) as AnswerOf<typeof interstitials>
  if (seen.some((one) => one.interstitial_id === onboardingKey)) return
  const questionnaire = page.getByRole('dialog', { name: 'Set up your account' })
  await questionnaire.getByRole('button', { name: 'Dismiss' }).click()
  await questionnaire.waitFor({ state: 'hidden' })
}

/** From the console to sign-up, through the mail in the local host's outbox, and back to the console. */
export const signUp = async (page: Page, product: Hosts, person: Person): Promise<void> => {
  await page.goto(product.console)
  await page.waitForURL(`${product.signIn}/signin**`)
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Full name').fill(person.name)
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByRole('link', { name: 'open its outbox' }).click()
  await (await mailsTo(page, product, person.email)).locator('a[href*="/signup/"]').first().click()
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await arrive(page, product, () => page.getByRole('button', { name: 'Confirm and sign in' }).click())
}

export const signIn = async (
  page: Page,
  product: Hosts,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<void> => {
  await page.goto(product.console)
  await page.waitForURL(`${product.signIn}/signin**`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await arrive(page, product, () => page.getByRole('button', { name: 'Sign in' }).click())
}
