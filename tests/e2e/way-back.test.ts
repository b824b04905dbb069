import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentCommand } from './support/agent'
import { type FieldDevice, hashOf, makeFieldDevice } from './support/field-device'
import { openNetworkLink } from './support/network-link'
import { signUp, someone } from './support/people'
import { addKey, addRelease, projectNavigation, signRelease, startRollout, textbox } from './support/release-steps'
import { useTrial } from './support/trial'

const trial = useTrial()

const model = 'gw-imx8m'
const directory = '/opt/gateway'
const program = 'opt/gateway/gateway.bin'
const bytes = (seed: number) => Buffer.from(Array.from({ length: 200_000 }, (_, n) => (n * seed) % 251))
const builds = { '2.5.0': bytes(31), '2.6.0': bytes(37), '2.6.1': bytes(41) } as const
type Version = keyof typeof builds
const numbers = { '2.5.0': 1, '2.6.0': 2, '2.6.1': 3 } as const satisfies Record<Version, number>

/** What the device runs, read from its own state and files; never from the server. */
const runs = (device: FieldDevice): Version => {
  const { version, sha256 } = device.running()
  const found = (Object.keys(builds) as Version[]).filter((one) => numbers[one] === version && hashOf(builds[one]) === sha256)
  expect(found, `${device.name} runs version ${version} with other bytes than those of the release`).toHaveLength(1)
  return found[0] as Version
}

/** Waits until the devices page shows what each device runs, and no update that is not running. */
const expectPagesToAgree = async (devices: readonly FieldDevice[], expected: readonly Version[]): Promise<void> => {
  expect(devices.map(runs)).toEqual(expected)
  await projectNavigation(trial().page).getByRole('link', { name: 'Devices' }).click()
  for (const device of devices) {
    const row = trial().page.getByRole('row', { name: device.name })
    await row.waitFor()
    await expect.poll(() => row.getByRole('cell').nth(4).textContent()).toBe(runs(device))
  }
}

const openRelease = async (name: string) => {
  await projectNavigation(trial().page).getByRole('link', { name: 'Releases' }).click()
  await trial().page.getByRole('link', { name }).first().click()
}

/** The state in the rollout's head; devices below it may have the same text. */
const outcome = (word: string) => trial().page.getByRole('heading', { level: 2 }).getByText(word, { exact: true })
const updates = () => trial().page.getByRole('table', { name: /Devices of/ })
const stateOf = (device: FieldDevice) => updates().getByRole('row', { name: device.name }).getByRole('cell').nth(3)
const expectUpdate = async (device: FieldDevice, state: string) => expect.poll(() => stateOf(device).textContent()).toBe(state)

/** A complete trial: at every step the console shows what the devices run. */
it('leads from sign-up through a bad release, its halt and rollback, to a good release on every device', async () => {
  const { product, page, bench, complaints, onEnd } = trial()
  await signUp(page, product, someone())
  await page.getByRole('link', { name: 'Add Project' }).first().click()
  await textbox(page, 'Name').fill('Orchard Gateways')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()

  await agentCommand('keygen', '--out', bench, '--name', 'release-2026')
  const key = join(bench, 'release-2026.key.pem')
  await addKey(page, 'release-2026', await readFile(join(bench, 'release-2026.pub.pem'), 'utf8'))

  await projectNavigation(page).getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('link', { name: 'Config Generator' }).first().click()
  await textbox(page, 'Name').fill('gateways')
  await textbox(page, 'Hardware model').fill(model)
  await page.getByText('For a trial').click()
  await textbox(page, 'Persistent directory').fill(join(bench, 'state'))
  await textbox(page, 'Install root').fill(join(bench, 'root'))
  await page.getByRole('button', { name: 'Generate' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download device.json' }).click(),
  ])
  await file.saveAs(join(bench, 'device.json'))
  const group = JSON.parse(await readFile(join(bench, 'device.json'), 'utf8')) as Record<string, unknown>

  const birchLink = await openNetworkLink(product.api)
  onEnd(birchLink.close)
  const alder = makeFieldDevice(bench, 'alder', { group, installed: program })
  const birch = makeFieldDevice(bench, 'birch', { group, installed: program, server: birchLink.url })
  const cedar = makeFieldDevice(bench, 'cedar', { group, installed: program })
  const dogwood = makeFieldDevice(bench, 'dogwood', { group, installed: program })
  const devices = [alder, birch, cedar, dogwood]
  for (const device of devices) await device.visit()

  // The good old release.
  await addRelease(page, bench, {
    name: 'Gateway May',
    displayVersion: '2.5.0',
    model,
    directory,
    files: { 'gateway.bin': builds['2.5.0'] },
  })
  await signRelease(page, bench, key)
  await startRollout(page, 4)
  for (const device of devices) await device.visit()
  for (const device of devices) await expectUpdate(device, 'Succeeded')
  await expectPagesToAgree(devices, ['2.5.0', '2.5.0', '2.5.0', '2.5.0'])

  // The bad one: on cedar a folder is in the place of a file, so that it cannot be installed there.
  mkdirSync(join(cedar.root, 'opt/gateway/notes'), { recursive: true })
  const bad = { 'gateway.bin': builds['2.6.0'], notes: Buffer.from('What is new\n') }
  await addRelease(page, bench, { name: 'Gateway June', displayVersion: '2.6.0', model, directory, files: bad })
  await signRelease(page, bench, key)
  await startRollout(page, 4)
  await page.getByRole('heading', { level: 2 }).getByText('Gateway June #1').waitFor()
  await alder.visit()
  await expectUpdate(alder, 'Succeeded')
  // Birch downloads it and then goes offline.
  birchLink.cutAfter('download_completed')
  await birch.visit()
  expect(birchLink.isCut()).toBe(true)
  await cedar.visit()
  await outcome('Halted').waitFor()
  await dogwood.visit()
  expect(devices.map(runs)).toEqual(['2.6.0', '2.6.0', '2.5.0', '2.5.0'])

  // Rollback: the page may not show it as finished before each of them has reported.
  await page.getByRole('button', { name: 'More actions for Gateway June #1' }).click()
  await page.getByRole('menuitem', { name: 'Halt and roll back' }).click()
  const dialog = page.getByRole('dialog')
  await textbox(page, 'Reason').fill('The radio does not come up')
  await dialog.getByRole('button', { name: 'Halt and roll back' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await outcome('Rolling back').waitFor()
  await alder.visit()
  await dogwood.visit()
  await cedar.visit()
  expect(devices.map(runs)).toEqual(['2.5.0', '2.6.0', '2.5.0', '2.5.0'])
  await page.reload()
  await outcome('Rolling back').waitFor()

  // Birch is back, reports success, and is sent back as well.
  birchLink.restore()
  const nextVisit = async () => {
    await birch.visit()
    return runs(birch)
  }
  await expect.poll(nextVisit).toBe('2.5.0')
  expect(devices.map(runs)).toEqual(['2.5.0', '2.5.0', '2.5.0', '2.5.0'])
  await outcome('Rolled back').waitFor()
  await page.getByText('All 2 devices have returned').waitFor()
  await expectUpdate(alder, 'Succeeded')
  await expectUpdate(birch, 'Succeeded')
  await expectPagesToAgree(devices, ['2.5.0', '2.5.0', '2.5.0', '2.5.0'])

  // The good one after it.
  await addRelease(page, bench, {
    name: 'Gateway July',
    displayVersion: '2.6.1',
    model,
    directory,
    files: { 'gateway.bin': builds['2.6.1'] },
  })
  await signRelease(page, bench, key)
  await startRollout(page, 4)
  for (const device of devices) await device.visit()
  for (const device of devices) await expectUpdate(device, 'Succeeded')
  await outcome('Completed').waitFor()
  await expectPagesToAgree(devices, ['2.6.1', '2.6.1', '2.6.1', '2.6.1'])

  // The page of the bad release stays correct afterwards.
  await openRelease('Gateway June')
  await outcome('Rolled back').waitFor()
  expect(complaints).toEqual([])
})
