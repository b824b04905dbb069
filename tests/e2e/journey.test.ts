import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentCommand, startAgent } from './support/agent'
import { signUp, someone } from './support/people'
import { addKey, addRelease, projectNavigation, signRelease, startRollout, textbox } from './support/release-steps'
import { useTrial } from './support/trial'

const trial = useTrial()

const firmware = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 31) % 251))

/** The main journey on real input: every step is an action of a person; every check is visible in the page. */
it('leads from sign-up to a device that runs a signed release', async () => {
  const { product, page, bench, complaints, onEnd } = trial()
  await signUp(page, product, someone())

  await page.getByRole('link', { name: 'Add Project' }).first().click()
  await textbox(page, 'Name').fill('Orchard Gateways')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()

  // A key pair made outside the console; its public key is registered.
  await agentCommand('keygen', '--out', bench, '--name', 'release-2026')
  const navigation = projectNavigation(page)
  await addKey(page, 'release-2026', await readFile(join(bench, 'release-2026.pub.pem'), 'utf8'))

  // A configuration for a device that trusts it.
  await navigation.getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('link', { name: 'Config Generator' }).first().click()
  await textbox(page, 'Name').fill('gateways')
  await textbox(page, 'Hardware model').fill('gw-imx8m')
  await page.getByText('For a trial').click()
  await textbox(page, 'Persistent directory').fill(join(bench, 'state'))
  await textbox(page, 'Install root').fill(join(bench, 'root'))
  await textbox(page, 'Polling interval').fill('30')
  await textbox(page, 'Metrics interval').fill('10')
  await page.getByRole('button', { name: 'Generate' }).click()
  const [configDownload] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download device.json' }).click(),
  ])
  const config = join(bench, 'device.json')
  await configDownload.saveAs(config)

  const agent = startAgent(config)
  onEnd(agent.stop)
  await navigation.getByRole('link', { name: 'Devices' }).click()
  const row = page.getByRole('row', { name: /tsl-/ })
  await row.waitFor()
  await row.getByTitle(/: Online, /).waitFor()

  // A release: its file is uploaded in the panel, its manifest is signed where the key is.
  const files = { 'gateway.bin': firmware }
  await addRelease(page, bench, { name: 'Gateway', displayVersion: '2.5.0', model: 'gw-imx8m', directory: '/opt/gateway', files })
  await signRelease(page, bench, join(bench, 'release-2026.key.pem'))
  await startRollout(page, 1)

  // The device asks, downloads, verifies, installs and confirms; the console shows it.
  const devices = page.getByRole('table', { name: /Devices of/ })
  await devices.getByText('Succeeded').waitFor()
  expect(await readFile(join(bench, 'root/opt/gateway/gateway.bin'))).toEqual(firmware)

  await devices.getByRole('link', { name: /tsl-/ }).click()
  await page.getByRole('button', { name: 'Update confirmed' }).waitFor()
  await page.getByRole('button', { name: 'Verification passed' }).waitFor()
  await navigation.getByRole('link', { name: 'Monitor' }).click()
  await page.getByRole('figure', { name: /Memory used/ }).waitFor()
  expect(complaints).toEqual([])
})
