import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject } from '../../contract/accounts/project-changes'
import { storageKeys } from '../../src/lib/storage-keys'
import { openPageCheck } from './every-route/check-page'
import { type Browser, type BrowserContext, openBrowser, type Page } from './support/browser'
import { call } from './support/call'
import { type Hosts, newUser, openSignedIn, startHosts, type Visitor } from './support/hosts'

let hosts: Hosts
let browser: Browser
let context: BrowserContext
let complaints: string[]
let ines: Visitor
let organizationId: string
let projectId: string

beforeAll(async () => {
  hosts = await startHosts()
  browser = await openBrowser()
  ines = await newUser(hosts)
  const as = ines.token
  organizationId = (await call(hosts.api, createOrganization, {}, { as, body: { name: 'Hedgerow' } })).body.public_id
  const body = { name: 'Gateways' }
  projectId = (await call(hosts.api, createOrganizationProject, { organizationId }, { as, body })).body.id
})
afterEach(async () => {
  await context.close()
  expect(complaints).toEqual([])
})
afterAll(async () => {
  await browser?.close()
  await hosts?.stop()
})

/** Signed in, with the last organization stored: the visit for which requests are sent early. */
const open = async () => {
  ;({ context, complaints } = await openSignedIn(browser, hosts, ines, { [storageKeys.organization]: organizationId }))
  return context.newPage()
}

const projects = () => `${hosts.console}/organizations/${organizationId}/projects`
const card = (page: Page) => page.getByRole('link', { name: 'Gateways', exact: true })
const isPreflight = (method: string) => method === 'OPTIONS'
/** The browser requests it itself, at any time. */
const isIcon = (url: string) => new URL(url).pathname === '/favicon.svg'
/** The scripts of the app. The theme's own small script comes with the document, and nothing is painted before it. */
const isScript = (url: string) => /(?<!\/early-theme-[\w-]+)\.js$/.test(new URL(url).pathname)

/** When the list was in the document, by the page's own clock, and the requests until then. */
const watchScreen = (page: Page) =>
  page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      if (document.querySelector('ul[aria-label="Projects"] a') === null) return
      watch.disconnect()
      performance.mark('screen')
    })
    watch.observe(document, { subtree: true, childList: true })
  })
const untilScreen = (page: Page) =>
  page.evaluate(() => {
    const [screen] = performance.getEntriesByName('screen')
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    return entries
      .filter((entry) => entry.startTime < (screen?.startTime ?? 0))
      .map((entry) => ({ url: entry.name, bytes: entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0 }))
  })

/** Holds requests until they are released, all at once. */
const gate = async (holds: (url: string) => boolean) => {
  const held: string[] = []
  let letGo = () => {}
  const opened = new Promise<void>((resolve) => (letGo = resolve))
  await context.route(
    (url) => holds(url.href),
    async (route) => {
      if (!isPreflight(route.request().method())) {
        held.push(route.request().url())
        await opened
      }
      return route.fallback()
    },
  )
  return { held, letGo }
}

it('paints the shell of the document, then loads in two waves: scripts and style, then data', async () => {
  const page = await open()
  const isData = (url: string) => url.startsWith(hosts.api)
  const code = await gate(isScript)
  const data = await gate(isData)
  await watchScreen(page)
  const wave = { first: [] as string[], second: [] as string[] }
  let present: keyof typeof wave = 'first'
  page.on('request', (request) => {
    const counts = !request.isNavigationRequest() && !isPreflight(request.method()) && !isIcon(request.url())
    if (counts) wave[present].push(request.url())
  })

  await page.goto(hosts.console, { waitUntil: 'commit' })
  await expect.poll(() => code.held.length).toBeGreaterThan(0)
  const painted = () => page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length)
  await expect.poll(painted).toBe(1)
  expect(await page.locator('header').boundingBox()).toMatchObject({ height: 57 })
  expect(wave.first.filter(isData)).toEqual([])

  present = 'second'
  code.letGo()
  const asked = () => data.held.map((url) => new URL(url).pathname).toSorted()
  const needed = ['/organizations', `/organizations/${organizationId}/projects`, '/users/self']
  await expect.poll(asked).toEqual(expect.arrayContaining(needed))
  expect(wave.second.filter((url) => !isData(url))).toEqual([])

  const known = new Set([`${hosts.console}/`, ...wave.first, ...wave.second])
  data.letGo()
  await card(page).waitFor()
  const third = (await untilScreen(page)).filter(({ url }) => !known.has(url) && !isIcon(url))
  expect(third).toEqual([])
})

it.each([
  ['the projects', '/organizations/none/projects', ['cards']],
  ['Add Project', '/organizations/none/projects/add', ['page']],
  ['a page of a project', '/organizations/none/projects/prj_x/devices/list', ['side', 'page']],
  ['the account', '/account/settings/profile?from=mail', ['side', 'page']],
])('the shell of %s is of its kind', async (_, path, shown) => {
  const page = await open()
  const code = await gate(isScript)
  await page.goto(`${hosts.console}${path}`, { waitUntil: 'commit' })
  await expect.poll(() => code.held.length).toBeGreaterThan(0)
  const parts = {
    cards: page.locator('[data-of=cards]'),
    side: page.locator('[data-of=framed]'),
    page: page.locator('main [data-of~=plain]'),
  }
  await page.locator('header').waitFor()
  for (const [name, part] of Object.entries(parts)) expect(await part.isVisible(), name).toBe(shown.includes(name))
  code.letGo()
})

it('sends at most 137 kB of script and 150 kB in all, as it comes over the wire', async () => {
  const page = await open()
  await watchScreen(page)
  await page.goto(hosts.console)
  await card(page).waitFor()
  const sent = (await untilScreen(page)).filter(({ url }) => url.startsWith(hosts.console) && !isIcon(url))
  const sum = (some: typeof sent) => some.reduce((total, { bytes }) => total + bytes, 0)
  const script = sum(sent.filter(({ url }) => isScript(url)))
  expect(script).toBeGreaterThan(10_000)
  expect(script).toBeLessThanOrEqual(137_000)
  expect(sum(sent)).toBeLessThanOrEqual(150_000)
})

it('requests nothing when returning to a page that was just visited', async () => {
  const page = await open()
  const { settle } = openPageCheck(page)
  await page.goto(projects())
  // The parts below the fold ask last, each when its code has loaded.
  const late = ['/members', '/expirations?'].map((part) => page.waitForResponse((answer) => answer.url().includes(part)))
  await card(page).click()
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await Promise.all(late)
  await settle()
  const requests: string[] = []
  page.on('request', (request) => !isIcon(request.url()) && requests.push(request.url()))
  await page.goBack()
  await card(page).waitFor()
  expect(requests).toEqual([])
})

it('draws a list of thousands with at most 500 elements, wherever it is scrolled to', async () => {
  await hosts.sql(
    `insert into devices (id, created_at, updated_at, revision, project_id, name, hardware_model, lifecycle, enrollment)
     select '01HZZZZZZZZZZZZZZZZZ' || lpad(n::text, 6, '0'), now(), now(), 1, $1, 'gateway ' || n, 'gw-imx8m', 'active', 'group'
     from generate_series(1, 3000) n`,
    [projectId],
  )
  const page = await open()
  await page.goto(`${projects()}/${projectId}/devices/list`)
  const table = page.getByRole('table')
  await table.getByRole('row').nth(5).waitFor()
  const elements = () => table.evaluate((element) => element.querySelectorAll('*').length)
  await expect.poll(() => elements()).toBeLessThanOrEqual(500)
  const first = await table.getByRole('row').nth(1).textContent()
  await table.getByRole('row').nth(5).hover()
  await page.mouse.wheel(0, 5000)
  await expect.poll(() => table.getByRole('row').nth(1).textContent()).not.toBe(first)
  await expect.poll(() => elements()).toBeLessThanOrEqual(500)
})
