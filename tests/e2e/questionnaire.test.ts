import { expect, it } from 'vitest'
import { onboardingKey, recordInterstitial } from '../../contract/accounts/interstitials'
import { profile } from '../../contract/accounts/profile'
import { storageKeys } from '../../src/lib/storage-keys'
import type { Page } from './support/browser'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { anonymousVisitor } from './support/hosts'
import { highlighted } from './support/options'
import { signIn } from './support/people'

const { hosts, open } = useConsole()

const home = () => `${hosts().console}/organizations/none/projects`
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Set up your account', exact: true })
const box = (page: Page, name: string) => dialogOf(page).getByRole('combobox', { name, exact: true })
const field = (page: Page, name: string) => dialogOf(page).getByRole('textbox', { name, exact: true })
const role = 'What best describes your role?'
const tooLong = 'Role must be 100 characters or less'
const applications = 'What applications do you plan to use Teasel for?'

const choose = async (page: Page, label: string, option: string) => {
  await box(page, label).fill(option)
  await page.getByRole('option', { name: option, exact: true }).click()
}
const isRead = (url: string, method: string) => url === `${hosts().api}/interstitials` && method === 'GET'
/** All requests of the questionnaire, in order. */
const listen = (page: Page) => {
  const sent: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST' && /interstitials|user_profile/.test(pathname)) sent.push(pathname)
  })
  return sent
}
/** Resolves when the page knows what was seen, and is idle. */
const settled = async (page: Page, go: () => Promise<unknown>) => {
  await Promise.all([page.waitForResponse((response) => isRead(response.url(), response.request().method())), go()])
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve))))
}

it('asks once: records that it was seen, then saves the answers, then never opens again', async () => {
  const ines = await anonymousVisitor(hosts())
  const context = await open(ines)
  const page = await context.newPage()
  const sent = listen(page)
  await page.goto(home())
  await dialogOf(page).waitFor()
  // The name given at sign-up.
  await expect.poll(() => field(page, 'First Name').inputValue()).toBe('Ines')
  await expect.poll(() => field(page, 'Last Name').inputValue()).toBe('Marlow')
  await field(page, 'Company').fill('Hedgerow Instruments')
  await field(page, 'LinkedIn Profile URL').fill('https://linkedin.example/ines')
  await field(page, 'City').fill('Szeged')

  // §2: a typed name becomes the country on blur.
  await box(page, 'Country').fill('hungar')
  await field(page, 'City').focus()
  await expect.poll(() => box(page, 'Country').inputValue()).toBe('Hungary')

  await expect.poll(() => field(page, 'Please specify your role').count()).toBe(0)
  await box(page, role).click()
  await page.keyboard.type('other')
  await highlighted(page, 'Other')
  await page.keyboard.press('Enter')
  await field(page, 'Please specify your role').fill('x'.repeat(101))
  await dialogOf(page).getByText(tooLong, { exact: true }).waitFor()
  await dialogOf(page).getByRole('button', { name: 'Submit', exact: true }).click()
  expect(sent).toEqual([])
  const focused = () => field(page, 'Please specify your role').evaluate((control) => control === document.activeElement)
  await expect.poll(focused).toBe(true)
  await field(page, 'Please specify your role').fill('x'.repeat(100))
  await dialogOf(page).getByText(tooLong, { exact: true }).waitFor({ state: 'detached' })
  await field(page, 'Please specify your role').fill('Boot chain: archaeologist')

  await dialogOf(page).getByText('Select all that apply', { exact: true }).waitFor()
  await choose(page, applications, 'Secure OTA updates')
  await choose(page, applications, 'Teasel security solutions')
  await dialogOf(page).getByRole('button', { name: 'Submit', exact: true }).click()
  await dialogOf(page).waitFor({ state: 'detached' })
  expect(sent).toEqual(['/interstitials/USER_ONBOARDING_INFO_COLLECTION', '/user_profile'])
  const { body } = await call(hosts().api, profile, {}, { as: ines.token })
  expect(body).toEqual({
    first_name: 'Ines',
    last_name: 'Marlow',
    company_name: 'Hedgerow Instruments',
    linkedin_url: 'https://linkedin.example/ines',
    city: 'Szeged',
    country: 'HU',
    role: 'other:Boot chain: archaeologist',
    platform_applications: 'secure_ota_updates,teasel_security_solutions',
  })

  await settled(page, () => page.reload())
  await expect.poll(() => dialogOf(page).count()).toBe(0)
})

it('R10: Dismiss posts nothing and applies to the session; the next sign-in asks again', async () => {
  const ines = await anonymousVisitor(hosts())
  const context = await open(ines)
  const page = await context.newPage()
  const sent = listen(page)
  await page.goto(home())
  await dialogOf(page).getByRole('button', { name: 'Dismiss', exact: true }).click()
  await dialogOf(page).waitFor({ state: 'detached' })
  expect(sent).toEqual([])
  expect(await statusOf(hosts().api, profile, {}, { as: ines.token })).toBe(404)
  // After a dismissal the server is not even asked.
  const asked: string[] = []
  page.on('request', (request) => isRead(request.url(), request.method()) && asked.push(request.url()))
  await page.reload()
  await page.getByRole('heading', { name: /^Projects/ }).waitFor()
  await page.waitForLoadState('networkidle')
  expect([asked, await dialogOf(page).count()]).toEqual([[], 0])

  await context.close()
  const next = await (await open()).newPage()
  // Dismisses it again: fails if it did not appear.
  await signIn(next, hosts(), ines)
  expect(await next.evaluate((key) => localStorage.getItem(key), storageKeys.onboarding)).toMatch(/^\w{6}$/)
})

it('R9: closes silently when recording fails, saves nothing, and offers the answers the next time', async () => {
  const context = await open(await anonymousVisitor(hosts()))
  const page = await context.newPage()
  const sent = listen(page)
  await context.route(`${hosts().api}/interstitials/**`, (route) => route.abort('connectionrefused'))
  await page.goto(home())
  await dialogOf(page).waitFor()
  await field(page, 'City').fill('Szeged')
  await choose(page, role, 'Other')
  await field(page, 'Please specify your role').fill('Boot archaeologist')
  await dialogOf(page).getByRole('button', { name: 'Submit', exact: true }).click()
  await dialogOf(page).waitFor({ state: 'detached' })
  expect(sent).toEqual([`/interstitials/${onboardingKey}`])
  await expect.poll(() => page.getByRole('status').count()).toBe(0)

  await context.unroute(`${hosts().api}/interstitials/**`)
  await page.reload()
  await dialogOf(page).waitFor()
  await expect.poll(() => field(page, 'City').inputValue()).toBe('Szeged')
  await expect.poll(() => field(page, 'Please specify your role').inputValue()).toBe('Boot archaeologist')
  await dialogOf(page).getByRole('button', { name: 'Submit', exact: true }).click()
  await dialogOf(page).waitFor({ state: 'detached' })
  const keys = await page.evaluate(() => Object.keys(localStorage))
  expect(keys.filter((key) => key.startsWith(storageKeys.onboarding))).toEqual([])
})

it('§8: closes silently when the answers are refused, and keeps them in this browser', async () => {
  const context = await open(await anonymousVisitor(hosts()))
  const page = await context.newPage()
  await context.route(`${hosts().api}/user_profile`, (route) => route.fulfill({ status: 422, json: {} }))
  await page.goto(home())
  await dialogOf(page).waitFor()
  await field(page, 'City').fill('Szeged')
  await dialogOf(page).getByRole('button', { name: 'Submit', exact: true }).click()
  await dialogOf(page).waitFor({ state: 'detached' })
  const kept = await page.evaluate(() => Object.entries(localStorage).flat().join(' '))
  expect(kept).toContain('"city":"Szeged"')
})

it('waits while another modal is open (§4)', async () => {
  const ines = await anonymousVisitor(hosts())
  const context = await open(ines)
  const page = await context.newPage()
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  await context.route(`${hosts().api}/interstitials`, async (route) => {
    if (route.request().method() === 'GET') await held
    return route.fallback()
  })
  await page.setViewportSize({ width: 400, height: 800 })
  await page.goto(home())
  await page.getByRole('button', { name: 'Menu' }).first().click()
  await page.getByRole('dialog').waitFor()
  await settled(page, async () => answer())
  await expect.poll(() => dialogOf(page).count()).toBe(0)
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor()
})

it('never opens for a user who has seen it in another browser', async () => {
  const ines = await anonymousVisitor(hosts())
  await call(hosts().api, recordInterstitial, { interstitialId: onboardingKey }, { as: ines.token })
  const context = await open(ines)
  const page = await context.newPage()
  await settled(page, () => page.goto(home()))
  await expect.poll(() => dialogOf(page).count()).toBe(0)
})
