import { expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { enroll } from '../../contract/device/endpoints'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { enrollBody } from '../support/devices'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser } from './support/hosts'
import { within } from '../support/machine-load'

const { hosts, open } = useConsole()

const isStream = (url: string) => url.endsWith('/events')

/** Opens the page and waits until it follows the project. */
const follow = async (page: Page, address: string) => {
  const reads = { tokens: 0 }
  page.on('request', (request) => {
    if (request.method() === 'GET' && new URL(request.url()).pathname.endsWith('/enrollment_tokens')) reads.tokens += 1
  })
  const stream = page.waitForResponse((response) => isStream(response.url()))
  await page.goto(address)
  expect((await stream).status()).toBe(200)
  await page.getByRole('heading', { name: 'Enrollment tokens' }).waitFor()
  return reads
}

const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value })
    document.dispatchEvent(new Event('visibilitychange'))
  }, hidden)

// The list is polled each 2 minutes while the stream is open. Without it the reads are more than the test counts.
const patience = { timeout: within(90_000) }

it('a change by another person and by a device shows in two browsers by the stream, without a reload and without polling', async () => {
  const ines = await newUser(hosts())
  const { api, console } = hosts()
  const as = ines.token
  const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const address = `${console}/organizations/none/projects/${project.id}/access`
  const pages = [await (await open(ines)).newPage(), await (await open(ines)).newPage()] as const
  const reads = [await follow(pages[0], address), await follow(pages[1], address)]
  const before = reads.map(({ tokens }) => tokens)

  const facts = { name: 'Field', auto_accept: true }
  const { body: token } = await call(api, createEnrollmentToken, { projectId: project.id }, { as, body: facts })
  for (const page of pages) await page.getByRole('row', { name: /^Field .* 0 / }).waitFor(patience)
  await call(api, enroll, {}, { as: token.token, body: enrollBody() })
  for (const page of pages) await page.getByRole('row', { name: /^Field .* 1 / }).waitFor(patience)
  expect(reads.map(({ tokens }, n) => tokens - (before[n] ?? 0))).toEqual([2, 2])

  // A hidden page leaves the stream, and reads what it missed when it returns.
  const [page] = pages
  const left = page.waitForEvent('requestfailed', { predicate: (request) => isStream(request.url()), ...patience })
  await setHidden(page, true)
  await left
  await call(api, enroll, {}, { as: token.token, body: enrollBody() })
  await pages[1].getByRole('row', { name: /^Field .* 2 / }).waitFor(patience)
  expect(reads[0]!.tokens - before[0]!).toBe(2)
  const again = page.waitForRequest((request) => isStream(request.url()))
  await setHidden(page, false)
  expect(await (await again).headerValue('last-event-id')).toMatch(/^[0-9A-Z]{26}$/)
  await page.getByRole('row', { name: /^Field .* 2 / }).waitFor(patience)
})

it('the tabs of one browser share a stream, and the next one opens it when the first is closed', async () => {
  const ines = await newUser(hosts())
  const { api, console } = hosts()
  const as = ines.token
  const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const address = `${console}/organizations/none/projects/${project.id}/access`
  const context = await open(ines)
  const streams: string[] = []
  context.on('request', (request) => {
    if (request.method() === 'GET' && isStream(request.url())) streams.push(request.url())
  })
  const first = await context.newPage()
  await follow(first, address)
  const others = [await context.newPage(), await context.newPage()]
  for (const page of others) {
    await page.goto(address)
    await page.getByRole('heading', { name: 'Enrollment tokens' }).waitFor()
  }
  // They queue for the lock of the first.
  await expect.poll(() => first.evaluate(async () => (await navigator.locks.query()).pending?.length), patience).toBe(2)
  const create = (name: string) =>
    call(api, createEnrollmentToken, { projectId: project.id }, { as, body: { name, auto_accept: true } })
  await create('Field')
  for (const page of [first, ...others]) await page.getByRole('row', { name: /^Field / }).waitFor(patience)
  expect(streams).toHaveLength(1)

  // A change before the next stream is open is announced to nobody: each tab reads again when it opens.
  let letGo = () => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  await context.route(
    (url) => isStream(url.href),
    async (route) => {
      if (route.request().method() === 'GET') await held
      return route.continue()
    },
  )
  await first.close()
  await expect.poll(() => streams.length, patience).toBe(2)
  await create('Meadow')
  letGo()
  for (const page of others) await page.getByRole('row', { name: /^Meadow / }).waitFor(patience)
  expect(streams).toHaveLength(2)
})

it('a chosen refresh interval holds for every page and tab, and after a reload, until Live is chosen again', async () => {
  const ines = await newUser(hosts())
  const { api, console } = hosts()
  const as = ines.token
  const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const address = `${console}/organizations/none/projects/${project.id}/access`
  const context = await open(ines)
  const page = await context.newPage()
  const reads = await follow(page, address)
  const other = await context.newPage()
  await other.goto(address)
  const age = (at: Page) => at.getByRole('region', { name: 'Enrollment tokens' }).getByRole('button', { name: /^Updated/ })
  const choose = async (label: string) => {
    await age(page).press('Enter')
    await page.getByRole('menuitemradio', { name: label, exact: true }).click()
    await page.getByRole('menu').waitFor({ state: 'detached' })
  }
  const create = (name: string) =>
    call(api, createEnrollmentToken, { projectId: project.id }, { as, body: { name, auto_accept: true } })
  const row = (at: Page, name: string) => at.getByRole('row', { name: new RegExp(`^${name} `) })

  await choose('Off')
  for (const at of [page, other]) await age(at).getByText('· Off').waitFor()
  await page.reload()
  await age(page).getByText('· Off').waitFor()
  const before = reads.tokens
  await create('Field')
  // Longer than an open list waits after a change.
  await age(page)
    .getByText(/\d+ s ago/)
    .waitFor(patience)
  expect(reads.tokens).toBe(before)
  expect(await row(page, 'Field').count()).toBe(0)
  await page.getByRole('region', { name: 'Enrollment tokens' }).getByRole('button', { name: 'Refresh' }).click()
  await row(page, 'Field').waitFor()

  await choose('Every 10 seconds')
  await age(other).getByText('· 10 s').waitFor()
  for (const at of [page, other]) await row(at, 'Field').waitFor(patience)

  await choose('Live')
  await create('Meadow')
  for (const at of [page, other]) await row(at, 'Meadow').waitFor(patience)
  expect(await age(page).textContent()).not.toContain('·')
})
