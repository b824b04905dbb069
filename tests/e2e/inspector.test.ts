import { afterAll, beforeAll, expect, it } from 'vitest'
import { titles } from '../../contract/core/errors'
import { onboardingKey, recordInterstitial } from '../../contract/accounts/interstitials'
import { storageKeys } from '../../src/lib/storage-keys'
import { type Browser, type BrowserContext, openBrowser, openContext, type Page } from './support/browser'
import { call } from './support/call'
import { someone } from './support/people'
import { type Product, startProduct } from './support/product'
import { signUpOverHttp } from './support/visitor'
import { within } from '../support/machine-load'

const ines = someone('Ines Marlow')
const typed = 'Gateway of the unreleased kind'

let product: Product
let browser: Browser
let context: BrowserContext
let complaints: string[]
let page: Page

beforeAll(async () => {
  product = await startProduct({ dev: true })
  browser = await openBrowser()
  ;({ context, complaints } = await openContext(browser))
  // The dev server compiles the sources at the first request.
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: product.console })
  const token = await signUpOverHttp(product, ines)
  await call(product.api, recordInterstitial, { interstitialId: onboardingKey }, { as: token })
  page = await context.newPage()
})

afterAll(async () => {
  await browser?.close()
  await product?.stop()
})

const panel = () => page.getByRole('region', { name: 'Inspector' })
const choose = (chart: string) =>
  panel().getByRole('list', { name: 'Running charts' }).getByRole('button', { name: chart }).click()
/** Checks the picture of a chart with these current states. */
const shows = async (chart: string, ...states: string[]) => {
  await panel()
    .getByRole('img', { name: `${chart}: ${states.join(', ')}`, exact: true })
    .waitFor()
  const lit = panel().locator('[data-id][aria-current=true]')
  expect(await lit.evaluateAll((all) => all.map((one) => one.getAttribute('data-id')))).toEqual(
    expect.arrayContaining(states.map((state) => `${chart}.${state}`)),
  )
}
const send = async (event: string) => {
  await panel().getByText('Send', { exact: true }).click()
  await panel().getByRole('list', { name: 'Sample events' }).getByRole('button', { name: event }).first().click()
  await panel().getByRole('button', { name: 'Send to' }).click()
}
const step = (words: string) =>
  panel()
    .getByRole('button', { name: `+ ${words}`, exact: true })
    .click()
const row = (...words: string[]) =>
  words.reduce((rows, hasText) => rows.filter({ hasText }), panel().getByRole('list', { name: 'Events' }).getByRole('button'))

// Compiles all sources, which may take long on a loaded machine.
it(
  'opens with ?inspect, stays open across sign-in, and highlights the current states of the charts',
  { timeout: within(240_000) },
  async () => {
    await page.goto(`${product.console}/?inspect`)
    await page.waitForURL(`${product.signIn}/signin**`)
    await page.getByLabel('E-mail').fill(ines.email)
    await page.getByLabel('Password', { exact: true }).fill(ines.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${product.console}/organizations/**`)
    await shows('auth', 'holding.signedIn')
    await choose('organization')
    await shows('organization', 'ready.personal')
    await row('auth', 'self done', 'holding.verifying → holding.signedIn').waitFor()
    await panel().getByRole('searchbox', { name: 'Filter events' }).fill('organization choices')
    await expect.poll(() => row().count()).toBe(1)
    await panel().getByRole('searchbox', { name: 'Filter events' }).fill('')
  },
)

it('sends an event, and the console reacts to it', async () => {
  await choose('connection')
  await send('connection.lost')
  await page.getByText(titles.offline).waitFor()
  await shows('connection', 'offline')
  await send('connection.restored')
  await page.getByText(titles.offline).waitFor({ state: 'detached' })
  await shows('connection', 'online')
})

it('shows what an event changed, and nothing that a person typed', async () => {
  await page.getByRole('link', { name: 'Add Project' }).first().click()
  await page.getByRole('heading', { name: 'Add Project' }).waitFor()
  await page.getByRole('textbox', { name: /^Name/ }).fill(typed)
  await panel().getByText('Events', { exact: true }).click()
  // The first change is the one that made it dirty.
  await row('form', 'form.changed').last().click()
  const changed = panel().getByRole('group', { name: 'What changed in the context' })
  await expect.poll(() => changed.innerText()).toMatch(/dirty\s+- false\s+\+ true/)
  await choose('form')
  await shows('form', 'work.editing', 'leaving.staying')

  await panel().getByRole('button', { name: 'Copy the events shown' }).click()
  await panel().getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  const token = await page.evaluate((key) => localStorage.getItem(key), storageKeys.session)
  const everything = `${copied}\n${await panel().innerHTML()}`
  expect(everything).toContain('form.changed')
  for (const secret of [token ?? '', token?.slice(-6) ?? '', ines.email, ines.name, typed]) {
    expect(secret.length).toBeGreaterThan(5)
    expect(everything).not.toContain(secret)
  }
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor()
})

it('steps the clock by hand: a missing part reloads the page after 1500 ms and not before (§9)', async () => {
  await choose('chunkReload')
  await shows('chunkReload', 'current')
  await panel().getByRole('switch', { name: 'Pause the clock' }).click()
  await send('chunk.missing')
  await shows('chunkReload', 'announcing')
  await page.getByRole('heading', { name: titles.updating }).waitFor()
  await panel().getByText('waits: after reloadDelay 1500 ms').waitFor()
  await step('1 s')
  for (let hundreds = 0; hundreds < 4; hundreds += 1) await step('100 ms')
  await shows('chunkReload', 'announcing')
  await Promise.all([page.waitForEvent('load'), step('100 ms')])
  await shows('auth', 'holding.signedIn')
  await row('chunkReload', 'start', '→ current').first().click()
  await expect
    .poll(() => panel().getByRole('group', { name: 'What changed in the context' }).innerText())
    .toMatch(/reloaded\s+\+ true/)
})

it('stays closed once closed, and has made no external request', async () => {
  await panel().getByRole('button', { name: 'Close the inspector' }).click()
  await panel().waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor()
  await expect.poll(() => panel().count()).toBe(0)
  expect(complaints.filter((complaint) => complaint.startsWith('left loopback'))).toEqual([])
})
