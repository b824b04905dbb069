import { expect, it } from 'vitest'
import { createTag } from '../../contract/fleet/tags'
import { storageKeys } from '../../src/lib/storage-keys'
import type { BrowserContext, Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, anonymousVisitor } from './support/hosts'

const { hosts, open } = useConsole()

const projects = () => `${hosts().console}/organizations/none/projects`
const palette = (page: Page) => page.getByRole('dialog', { name: 'Search or jump to' })
const box = (page: Page) => palette(page).getByRole('combobox')
const asked = (page: Page) => page.getByRole('dialog', { name: 'Set up your account' })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const gone = { state: 'detached' } as const
const hasFocus = (page: Page, what: 'palette' | 'asked') =>
  (what === 'palette' ? palette : asked)(page).evaluate((dialog) => dialog.contains(document.activeElement))
/** The sign-in host shows no page: the current one stays. */
const stayHere = (context: BrowserContext) => context.route(`${hosts().signIn}/**`, (route) => route.fulfill({ status: 204 }))
/** As another tab does it: removes the token from the shared storage. */
const signOutElsewhere = async (context: BrowserContext) => {
  const other = await context.newPage()
  await other.goto(`${hosts().console}/favicon.svg`)
  await other.evaluate((key) => localStorage.removeItem(key), storageKeys.session)
}

it('§4: the palette closes with its page, and toggles by its key', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const page = await (await open(ines)).newPage()
  await page.goto(`${projects()}/${projectId}/tags/list`)
  await heading(page, 'Not Found').waitFor()
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Monitor' }).click()
  await heading(page, 'Monitor').waitFor()
  await page.keyboard.press('Control+k')
  await box(page).fill('add')
  await page.goBack()
  await heading(page, 'Not Found').waitFor()
  await palette(page).waitFor(gone)
  await page.keyboard.press('Control+k')
  await expect.poll(() => hasFocus(page, 'palette')).toBe(true)
  await expect.poll(() => box(page).inputValue()).toBe('')
  await page.keyboard.press('Control+k')
  await palette(page).waitFor(gone)
  await page.keyboard.press('Control+k')
  await box(page).waitFor()
})

it('§4: the palette closes with the session, and without a session its key belongs to the browser', async () => {
  const ines = await newUser(hosts())
  const context = await open(ines)
  const page = await context.newPage()
  await page.goto(projects())
  await heading(page, 'Projects').waitFor()
  await page.keyboard.press('Control+k')
  await box(page).waitFor()
  await stayHere(context)
  await signOutElsewhere(context)
  await page.getByText('Redirecting to sign-in...').waitFor()
  await palette(page).waitFor(gone)
  const taken = () =>
    page.evaluate(() => {
      const key = new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true })
      return !document.body.dispatchEvent(key)
    })
  await expect.poll(() => taken()).toBe(false)
  await expect.poll(() => palette(page).count()).toBe(0)
})

it('§4: the questionnaire waits while the palette is open, and the modal opened last is closed first', async () => {
  const ines = await anonymousVisitor(hosts())
  const page = await (await open(ines)).newPage()
  const held: (() => void)[] = []
  await page.route(`${hosts().api}/interstitials`, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve))
    await route.continue()
  })
  await page.goto(projects())
  await heading(page, 'Projects').waitFor()
  await page.keyboard.press('Control+k')
  await box(page).waitFor()
  await expect.poll(() => held.length).toBeGreaterThan(0)
  const told = page.waitForResponse(`${hosts().api}/interstitials`)
  for (const letGo of held) letGo()
  await (await told).finished()
  await page.keyboard.type('guide')
  await expect.poll(() => box(page).inputValue()).toBe('guide')
  expect([await asked(page).count(), await hasFocus(page, 'palette')]).toEqual([0, true])
  await page.keyboard.press('Escape')
  await expect.poll(() => hasFocus(page, 'asked')).toBe(true)
  await palette(page).waitFor(gone)

  await page.keyboard.press('Control+k')
  await expect.poll(() => hasFocus(page, 'palette')).toBe(true)
  await page.keyboard.press('Escape')
  await palette(page).waitFor(gone)
  await expect.poll(() => asked(page).count()).toBe(1)
  await expect.poll(() => hasFocus(page, 'asked')).toBe(true)
  await page.keyboard.press('Escape')
  await asked(page).waitFor(gone)
})

it('§4: the questionnaire closes with its session', async () => {
  const ines = await anonymousVisitor(hosts())
  const context = await open(ines)
  const page = await context.newPage()
  await page.goto(projects())
  await asked(page).waitFor()
  await stayHere(context)
  await signOutElsewhere(context)
  await page.getByText('Redirecting to sign-in...').waitFor()
  await asked(page).waitFor(gone)
})

it('§4: an entry of the audit log stays open under other modals, and closes with the page', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  await call(hosts().api, createTag, { projectId }, { as: ines.token, body: { name: 'canary', colour: 'moss' } })
  const page = await (await open(ines)).newPage()
  await page.goto(`${projects()}/${projectId}/auditLog`)
  await page.getByRole('row', { name: /tag\.create/ }).click()
  const entry = page.getByRole('dialog', { name: /^Entry \d+$/ })
  await entry.waitFor()
  await page.keyboard.press('Control+k')
  await expect.poll(() => hasFocus(page, 'palette')).toBe(true)
  await page.keyboard.press('Escape')
  await palette(page).waitFor(gone)
  await expect.poll(() => entry.count()).toBe(1)
  await page.getByRole('button', { name: 'User Menu' }).click()
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  await expect.poll(() => entry.count()).toBe(1)
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Monitor' }).click()
  await heading(page, 'Monitor').waitFor()
  await entry.waitFor(gone)
  await page.goBack()
  await entry.waitFor()
  await page.keyboard.press('Escape')
  await entry.waitFor(gone)
  expect(new URL(page.url()).searchParams.has('entry')).toBe(false)
  // Opened by keyboard, it gives the focus back.
  const row = page.getByRole('button', { name: 'tag.create' })
  await row.press('Enter')
  await entry.waitFor()
  await expect.poll(() => entry.locator(':focus').count()).toBe(1)
  await page.keyboard.press('Escape')
  await entry.waitFor(gone)
  await expect.poll(() => row.evaluate((element) => element === document.activeElement)).toBe(true)
})
