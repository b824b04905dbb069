import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, agentCommand, startAgent } from './support/agent'
import { type Browser, type BrowserContext, openBrowser, openContext, type Page } from './support/browser'
import { signUp, someone } from './support/people'
import { type Product, startProduct } from './support/product'

let product: Product
let browser: Browser
let context: BrowserContext
let complaints: string[]
let page: Page
let agent: Agent | undefined
let bench: string

beforeAll(async () => {
  bench = await mkdtemp(join(tmpdir(), 'teasel-bench-'))
  product = await startProduct()
  browser = await openBrowser()
  ;({ context, complaints } = await openContext(browser, { acceptDownloads: true }))
  page = await context.newPage()
  page.setDefaultTimeout(20_000)
})

afterAll(async () => {
  await agent?.stop()
  await browser?.close()
  await product?.stop()
  await rm(bench, { recursive: true, force: true })
})

/** By its accessible name, whole: the filter box of the page before is another one. */
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const firmware = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 31) % 251))

/** The main job on real input: every step is what a person does; every check is what a person sees. */
it('leads from sign-up to a device that runs a signed release', async () => {
  const person = someone()
  await signUp(page, product, person)

  await page.getByRole('link', { name: 'Add Project' }).first().click()
  await field('Name').fill('Orchard Gateways')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()

  // A key pair outside the console; its public half is registered.
  await agentCommand('keygen', '--out', bench, '--name', 'release-2026')
  const navigation = page.getByRole('navigation', { name: 'Project' })
  await navigation.getByRole('link', { name: 'Settings' }).click()
  await navigation.getByRole('link', { name: 'Access' }).click()
  await page.getByRole('button', { name: 'Add key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('release-2026')
  await dialog
    .getByRole('textbox', { name: 'Public key', exact: true })
    .fill(await readFile(join(bench, 'release-2026.pub.pem'), 'utf8'))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'release-2026' }).waitFor()

  // A configuration for a device that trusts it.
  await navigation.getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('link', { name: 'Config Generator' }).first().click()
  await field('Name').fill('gateways')
  await field('Hardware model').fill('gw-imx8m')
  await page.getByText('For a trial').click()
  await field('Persistent directory').fill(join(bench, 'state'))
  await field('Install root').fill(join(bench, 'root'))
  await field('Polling interval').fill('30')
  await field('Metrics interval').fill('10')
  await page.getByRole('button', { name: 'Generate' }).click()
  const [configDownload] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download device.json' }).click(),
  ])
  const config = join(bench, 'device.json')
  await configDownload.saveAs(config)

  agent = startAgent(config)
  await navigation.getByRole('link', { name: 'Devices' }).click()
  const row = page.getByRole('row', { name: /tsl-/ })
  await row.waitFor({ timeout: 60_000 })
  expect(await row.getByRole('img', { name: 'Online' }).count()).toBe(1)

  // A release: its file goes up in the panel with true progress.
  const file = join(bench, 'gateway.bin')
  await writeFile(file, firmware)
  await navigation.getByRole('link', { name: 'Releases' }).click()
  await page.getByRole('link', { name: 'Add Release' }).first().click()
  await field('Name').fill('Gateway')
  await field('Display version').fill('2.5.0')
  await field('Hardware models').fill('gw-imx8m')
  await page.getByRole('button', { name: 'Files', exact: true }).setInputFiles(file)
  await field('Install directory').fill('/opt/gateway')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Upload Progress').waitFor()
  const asset = page.getByRole('row', { name: /gateway\.bin/ })
  await asset.getByText('Ready').waitFor({ timeout: 60_000 })

  // Signed by a command where the key lives; the server only verifies.
  await page.getByRole('link', { name: 'Status' }).click()
  await page.getByRole('button', { name: 'Build manifest' }).click()
  const [manifestDownload] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download manifest.json' }).click(),
  ])
  const manifest = join(bench, 'manifest.json')
  await manifestDownload.saveAs(manifest)
  const signature = await agentCommand('sign', '--key', join(bench, 'release-2026.key.pem'), '--manifest', manifest)
  await field('Signature').fill(signature.trim())
  await page.getByRole('button', { name: 'Add signature' }).click()
  await page.getByText('verified in this browser').waitFor()

  await page.getByRole('button', { name: 'Start rollout' }).click()
  const start = page.getByRole('dialog')
  await start.getByText('All at once').click()
  await start.getByText(/1 of 1/).waitFor()
  await start.getByRole('button', { name: 'Start rollout' }).click()

  // The device asks, downloads, verifies, installs and confirms; the console shows it.
  const devices = page.getByRole('table', { name: /Devices of/ })
  await devices.getByText('Succeeded').waitFor({ timeout: 100_000 })
  expect(await readFile(join(bench, 'root/opt/gateway/gateway.bin'))).toEqual(firmware)

  await devices.getByRole('link', { name: /tsl-/ }).click()
  await page.getByText('Update confirmed').waitFor()
  await page.getByText('Verification passed').waitFor()
  await navigation.getByRole('link', { name: 'Monitor' }).click()
  await page.getByRole('figure', { name: /Memory used/ }).waitFor()
  expect(complaints).toEqual([])
}, 300_000)
