import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { titles } from '../../contract/core/errors'
import { createOrganization } from '../../contract/accounts/organization'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { deleteCurrentSession } from '../../contract/accounts/sessions'
import { self } from '../../contract/accounts/users'
import { storageKeys } from '../../src/lib/storage-keys'
import { mountSmallDisk } from '../support/small-disk'
import { scriptPath } from './gestures/request-script'
import type { Page } from './support/browser'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber } from './support/hosts'
import { within } from '../support/machine-load'

const MIB = 2 ** 20
const disk = mountSmallDisk.works ? mountSmallDisk(64 * 1024) : undefined
// Registered first, run last: the hosts write to it until they end.
afterAll(() => disk?.unmount())

const { hosts, open } = useConsole(
  disk && { TEASEL_STORAGE: disk.path, TEASEL_LIMIT_FREE_BYTES: String(32 * MIB), TEASEL_LIMIT_FREE_PERCENT: '0' },
)

/** Projects of a person, not of an organization. */
const personal = () => `${hosts().console}/organizations/none/projects`
/** With their number, if there are any. */
const projects = (page: Page) => page.getByRole('heading', { name: /^Projects/ })
const tokenIn = (page: Page) => page.evaluate((key) => localStorage.getItem(key), storageKeys.session)
/** A marker that does not survive a reload. */
const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { marked: true }))
const isMarked = (page: Page) => page.evaluate(() => 'marked' in window)
const countLoads = (page: Page) => {
  const loads = { count: 0 }
  page.on('domcontentloaded', () => loads.count++)
  return loads
}

it('F-01: when the API is unreachable at the start, a page says so, the session is kept, and Try again continues without a reload', async () => {
  const ines = await newUser(hosts())
  const context = await open(ines)
  const page = await context.newPage()
  await context.route(`${hosts().api}/**`, (route) => route.abort('connectionrefused'))
  await page.goto(personal())
  await page.getByRole('heading', { name: titles.fallback }).waitFor()
  await mark(page)
  expect([page.url(), await tokenIn(page)]).toEqual([personal(), ines.token])
  await context.unroute(`${hosts().api}/**`)
  await page.getByRole('button', { name: 'Try again' }).click()
  await projects(page).waitFor()
  expect([await isMarked(page), page.url()]).toEqual([true, personal()])
})

/** Records the messages of a page that is about to be replaced. */
const overhear = async (page: Page) => {
  const said: string[] = []
  const removed: string[] = []
  await page.exposeFunction('hearSaid', (text: string) => void said.push(text))
  await page.exposeFunction('hearRemoved', (key: string) => void removed.push(key))
  await page.addInitScript(() => {
    const hear = (name: string, text: string) => Reflect.get(window, name)(text)
    // oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
    const remove = Storage.prototype.removeItem
    Storage.prototype.removeItem = function (key: string) {
      if (this.getItem(key) !== null) hear('hearRemoved', key)
      remove.call(this, key)
    }
    const read = () => hear('hearSaid', document.querySelector('h1')?.textContent ?? '')
    new MutationObserver(read).observe(document, { subtree: true, childList: true, characterData: true })
  })
  return { said, removed }
}

it('F-07: many concurrent refusals cause one redirect and return to the same page', async () => {
  const ines = await subscriber(hosts())
  const names = Array.from({ length: 10 }, (_, n) => `Greenhouse ${n}`)
  for (const name of names) await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name } })
  const context = await open(ines)
  const page = await context.newPage()
  const { said, removed } = await overhear(page)
  const wanted = `${personal()}?experimental=true`
  await page.goto(wanted)
  await projects(page).waitFor()
  const before = await page.evaluate(() => history.length)

  // Ten links that the pointer passes request their projects; all of them are answered after the session has ended.
  let holding = true
  const held: (() => Promise<void>)[] = []
  await context.route(`${hosts().api}/**`, (route) => {
    if (!holding || route.request().method() === 'OPTIONS') return route.continue()
    held.push(() => route.continue())
  })
  for (const name of names) {
    await page.getByRole('link', { name, exact: true }).hover()
    await expect.poll(() => held.length).toBeGreaterThan(names.indexOf(name))
  }
  const redirects: string[] = []
  page.on('request', (request) => {
    if (request.isNavigationRequest()) redirects.push(request.url())
  })
  await call(hosts().api, deleteCurrentSession, {}, { as: ines.token })
  holding = false
  await Promise.all(held.map((go) => go()))
  await page.waitForURL(`${hosts().signIn}/signin**`)
  expect(held.length).toBeGreaterThanOrEqual(10)
  expect(redirects).toHaveLength(1)
  expect(await page.evaluate(() => history.length)).toBe(before + 1)
  expect(removed.filter((key) => key === storageKeys.session)).toHaveLength(1)
  expect(said).toContain('Redirecting to sign-in...')
  await context.unroute(`${hosts().api}/**`)

  await page.getByLabel('E-mail').fill(ines.email)
  await page.getByLabel('Password', { exact: true }).fill(ines.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(wanted)
  await projects(page).waitFor()
})

it('refusals of the server are shown under their fields, and no input is lost', async () => {
  const ines = await newUser(hosts())
  const { body: project } = await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Orchard' } })
  const context = await open(ines)
  const page = await context.newPage()
  await page.goto(`${personal()}/${project.id}/access`)
  await page.getByRole('button', { name: 'Add key' }).click()
  const dialog = page.getByRole('dialog')
  const name = dialog.getByRole('textbox', { name: 'Name', exact: true })
  const key = dialog.getByRole('textbox', { name: 'Public key', exact: true })
  const typed = '-----BEGIN PUBLIC KEY-----\nbm90IGEga2V5\n-----END PUBLIC KEY-----'
  await name.fill('release-2026')
  await key.fill(typed)
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST' && response.url().startsWith(hosts().api)),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ])
  expect(answer.status()).toBe(422)
  const { error } = await answer.json()
  await dialog.getByText(error.details[0].message).waitFor()
  await expect.poll(() => key.getAttribute('aria-invalid')).toBe('true')
  const described = (await key.getAttribute('aria-describedby')) ?? ''
  await expect.poll(() => page.locator(`[id="${described}"]`).textContent()).toContain(error.details[0].message)
  expect([await name.inputValue(), await key.inputValue()]).toEqual(['release-2026', typed])
  await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).isEnabled()).toBe(true)
})

const addPage = `**${scriptPath('add-project-page')}`
const gone = { status: 404, body: 'Not Found' }

it('F-10: a missing chunk is announced and loaded by one reload', async () => {
  const context = await open(await newUser(hosts()))
  const page = await context.newPage()
  const loads = countLoads(page)
  await page.goto(personal())
  await projects(page).waitFor()
  await context.route(addPage, (route) => route.fulfill(gone))
  await page.getByRole('link', { name: 'Add Project' }).first().click()
  await page.getByRole('heading', { name: titles.updating }).waitFor()
  await page.getByText(titles.newVersion).first().waitFor()
  await context.unroute(addPage)
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
  expect([loads.count, page.url()]).toEqual([2, `${personal()}/add`])
})

it('F-10: a permanently missing chunk causes no reload loop', async () => {
  const context = await open(await newUser(hosts()))
  const page = await context.newPage()
  const loads = countLoads(page)
  await context.route(addPage, (route) => route.fulfill(gone))
  await page.goto(personal())
  await page.getByRole('link', { name: 'Add Project' }).first().click()
  await page.getByRole('heading', { name: titles.updating }).waitFor()
  await page.getByText('reloading did not help').waitFor()
  expect(loads.count).toBe(2)
  await context.unroute(addPage)
  await page.getByRole('button', { name: 'Reload now' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
  expect(loads.count).toBe(3)
})

it('F-06: a banner is shown while offline', async () => {
  const context = await open(await newUser(hosts()))
  const page = await context.newPage()
  await page.goto(personal())
  await projects(page).waitFor()
  const banner = page.getByText(
    'It appears that you are offline. Please reconnect if you are trying to access the control center.',
    { exact: true },
  )
  await expect.poll(() => banner.count()).toBe(0)
  await context.setOffline(true)
  await banner.waitFor()
  await context.setOffline(false)
  await banner.waitFor({ state: 'detached' })
})

const lowDiskSpace =
  'The server is low on disk space. Uploads, device logs, metrics and new rollouts are refused until space is freed.'

it.skipIf(!disk)('F-19: a banner tells only the owner that disk space is low, until space is free again', async () => {
  const ballast = join(disk?.path ?? '', 'ballast')
  const owner = await newUser(hosts())
  await call(hosts().api, createPersonalProject, {}, { as: owner.token, body: { name: 'Orchard' } })
  const page = await (await open(owner)).newPage()
  const other = await (await open(await newUser(hosts()))).newPage()
  await page.goto(personal())
  await other.goto(personal())
  for (const tab of [page, other]) await projects(tab).waitFor()
  const banner = page.getByRole('status').filter({ hasText: lowDiskSpace })
  await expect.poll(() => banner.count()).toBe(0)
  writeFileSync(ballast, Buffer.alloc(48 * MIB))
  // The server reads the disk space again after at most a second; any answer has the header.
  await expect
    .poll(
      async () => {
        await page.reload()
        await projects(page).waitFor()
        // It loads after the first page.
        await banner.waitFor({ timeout: within(3000) }).catch(() => undefined)
        return banner.count()
      },
      { interval: 500 },
    )
    .toBe(1)
  await page.getByRole('link', { name: 'Orchard', exact: true }).click()
  await banner.waitFor()
  await other.reload()
  await projects(other).waitFor()
  await expect.poll(() => other.getByText(lowDiskSpace).count()).toBe(0)
  rmSync(ballast)
  // Without a reload: the page's own requests remove it.
  await banner.waitFor({ state: 'detached' })
})

it('F-12: signing out in one tab signs out the other', async () => {
  const ines = await newUser(hosts())
  const context = await open(ines)
  const page = await context.newPage()
  const other = await context.newPage()
  for (const tab of [page, other]) {
    await tab.goto(personal())
    await projects(tab).waitFor()
  }
  await page.getByRole('button', { name: 'User Menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  for (const tab of [page, other]) await tab.waitForURL(`${hosts().signIn}/signin**`)
  expect(await statusOf(hosts().api, self, {}, { as: ines.token })).toBe(401)
})

it('T-27: Back after signing out shows none of the data, in this tab and in another', async () => {
  const ines = await newUser(hosts())
  await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Orchard' } })
  const context = await open(ines)
  const [page, other] = [await context.newPage(), await context.newPage()]
  for (const tab of [page, other]) {
    await tab.goto(`${hosts().console}/account/settings/profile`)
    await tab.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Projects' }).click()
    await tab.getByRole('link', { name: 'Orchard' }).waitFor()
  }
  await page.getByRole('button', { name: 'User Menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  for (const tab of [page, other]) await tab.waitForURL(`${hosts().signIn}/signin**`)
  const shown: string[] = []
  await context.exposeFunction('teaselShown', (text: string) => void shown.push(text))
  await context.addInitScript(() => {
    const look = () => {
      const text = document.body?.textContent ?? ''
      if (/Orchard|@/.test(text)) Reflect.apply(Reflect.get(window, 'teaselShown'), window, [text])
    }
    if (location.pathname.startsWith('/account') || location.pathname.startsWith('/organizations'))
      new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
  })
  for (const tab of [page, other]) {
    await tab.goBack({ waitUntil: 'commit' })
    await tab.waitForURL(`${hosts().signIn}/signin**`)
  }
  expect(shown).toEqual([])
})

it('a path that does not exist leads to the projects, with its query string', async () => {
  const context = await open(await newUser(hosts()))
  const page = await context.newPage()
  await page.goto(`${hosts().console}/no/such/page?experimental=true&from=mail`)
  await page.getByText('That page does not exist').waitFor()
  await projects(page).waitFor()
  expect(page.url()).toBe(`${personal()}?experimental=true&from=mail`)
})

it('F-09: an inaccessible organization is left with one notice', async () => {
  const owner = await newUser(hosts())
  const { body: organization } = await call(hosts().api, createOrganization, {}, { as: owner.token, body: { name: 'Hedgerow' } })
  const context = await open(await newUser(hosts()))
  const page = await context.newPage()
  await page.goto(`${hosts().console}/organizations/${organization.public_id}/projects`)
  await page.waitForURL(personal())
  await projects(page).waitFor()
  const notice = page.getByText(titles.organizationLost)
  await notice.first().waitFor()
  await expect.poll(() => notice.count()).toBe(1)
})
