import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject } from '../../contract/accounts/project-changes'
import { agentCommand } from './support/agent'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber } from './support/hosts'
import { join as joinOrganization } from './support/members'
import { addKey, addRelease, projectNavigation, signRelease, textbox } from './support/release-steps'
import { type Answer, type SimulatedFleet, simulatedFleet, type Told } from './support/simulated-fleet'

const { hosts, open } = useConsole({ TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: '1000000' })
const fleets: SimulatedFleet[] = []
let bench: string
beforeAll(async () => void (bench = await mkdtemp(join(tmpdir(), 'teasel-emergency-'))))
afterAll(async () => {
  await Promise.all(fleets.map((fleet) => fleet.stop()))
  await rm(bench, { recursive: true, force: true })
})

const model = 'gw-imx8m'
const build = (seed: number) => ({ 'gateway.bin': Buffer.from(Array.from({ length: 20_000 }, (_, n) => (n * seed) % 251)) })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
/** A time of day from now, in UTC. */
const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)

/** What a device is told that the page shows with this reason. */
const expected: [RegExp, Told][] = [
  [/^The device is in wave \d$/, { reason: 'waiting_for_wave' }],
  [/^The maintenance window is closed$/, { reason: 'window_closed' }],
  [/^The maximum number of devices is updating$/, { reason: 'slot_busy' }],
  // Nothing is offered to anybody.
  [/^The rollout is pending approval$/, null],
  [/^Wave 1 was halted: /, null],
]
type Row = { id: string; reason: string; since: number }

/** Whether the device's record fits what the page says; a device without a reason has not asked since it began to wait. */
const agrees = ({ reason, since }: Row, answer: Answer | undefined): boolean => {
  if (reason === '–') return answer === undefined || answer.at <= since + 1000
  const [, told] = expected.find(([pattern]) => pattern.test(reason)) ?? []
  return told !== undefined && answer !== undefined && JSON.stringify(answer.told) === JSON.stringify(told)
}

/** The rows of the table of devices that is filtered to the waiting ones, and their number by the filter. */
const readWaiting = (page: Page): Promise<{ shown: string; rows: Row[] }> =>
  page.evaluate(() => {
    const shown = [...document.querySelectorAll('[aria-label="Which devices"] label')].find(
      (label) => label.querySelector('input')?.checked,
    )
    const links = [...document.querySelectorAll('table a[href$="/update-events"]')]
    return {
      shown: shown?.textContent ?? '',
      rows: links.map((link) => {
        const row = link.closest('tr')
        return {
          id: link.getAttribute('href')?.split('/').at(-2) ?? '',
          reason: row?.querySelectorAll('td')[4]?.textContent ?? '',
          since: Date.parse(row?.querySelector('time')?.dateTime ?? ''),
        }
      }),
    }
  })

let samples = 0
/** Waits until page and devices agree about every waiting device, and there are so many of them. */
const sample = async (page: Page, waiting: number) => {
  const differences = async () => {
    const { shown, rows } = await readWaiting(page)
    const told = new Map(fleets.flatMap((fleet) => [...fleet.answers()]))
    if (shown !== `Waiting ${waiting}` || rows.length !== waiting) return [shown, rows.length]
    return rows.filter((row) => !agrees(row, told.get(row.id))).map((row) => [row, told.get(row.id)])
  }
  await expect.poll(differences, { interval: 200 }).toEqual([])
  samples += 1
}

const showWaiting = (page: Page) => page.getByText(/^Waiting \d+$/).click()

it('leads from a bad release to 50 devices through its halt and rollback to a mended one on all of them', async () => {
  const ines = await subscriber(hosts())
  const otto = await newUser(hosts())
  const as = ines.token
  const { body: organization } = await call(hosts().api, createOrganization, {}, { as, body: { name: 'Hedgerow' } })
  const organizationId = organization.public_id
  await joinOrganization(hosts(), organizationId, otto, 'admin')
  const body = { name: 'Gateways' }
  const { body: project } = await call(hosts().api, createOrganizationProject, { organizationId }, { as, body })
  const home = `${hosts().console}/organizations/${organizationId}/projects/${project.id}`
  const page = await (await open(ines)).newPage()
  const other = await (await open(otto)).newPage()
  // Only rows in sight are in the document.
  for (const one of [page, other]) {
    await one.setViewportSize({ width: 1280, height: 4000 })
  }

  // The rule of two persons, a key, a tag, and a token for the devices of each wave.
  await page.goto(`${home}/settings`)
  await page.getByRole('switch', { name: /approv/i }).check()
  await button(page, 'Save').click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  await page.goto(`${home}/monitor`)
  await agentCommand('keygen', '--out', bench, '--name', 'release-2026')
  const key = join(bench, 'release-2026.key.pem')
  const publicKey = join(bench, 'release-2026.pub.pem')
  await addKey(page, 'release-2026', await readFile(publicKey, 'utf8'))
  await projectNavigation(page).getByRole('link', { name: 'Tags' }).click()
  await page.getByRole('link', { name: 'Add Tag' }).first().click()
  await textbox(page, 'Name').fill('canary')
  await button(page, 'Save').click()
  await page.getByRole('row', { name: /^canary/ }).waitFor()
  const addToken = async (name: string, tag?: string) => {
    await page.goto(`${home}/access`)
    await button(page, 'Add token').click()
    const dialog = page.getByRole('dialog')
    await textbox(page, 'Name').fill(name)
    if (tag !== undefined) {
      await dialog.getByRole('combobox', { name: 'Tags of new devices' }).click()
      await page.getByRole('option', { name: tag }).click()
      await page.keyboard.press('Escape')
    }
    await inDialog(page, 'Add token').click()
    const token = /enr_\w+/.exec((await dialog.getByText(/enr_/).first().textContent()) ?? '')?.[0]
    if (token === undefined) throw new Error('The dialog shows no token')
    await inDialog(page, 'Close').click()
    return token
  }
  const tokens = { canary: await addToken('canaries', 'canary'), rest: await addToken('all others') }

  // The release that the devices come with.
  const make = async (name: string, displayVersion: string, seed: number) => {
    await addRelease(page, bench, { name, displayVersion, model, directory: '/opt/gateway', files: build(seed) })
    await signRelease(page, bench, key)
  }
  await make('Gateway May', '2.5.0', 31)
  const installed = `${/list\/(\w+)\/status/.exec(page.url())?.[1] ?? ''}:1`
  const fleet = (name: string, wave: keyof typeof tokens, devices: number) => {
    const facts = { api: hosts().api, token: tokens[wave], publicKey, directory: join(bench, name), devices, installed }
    const made = simulatedFleet(facts)
    fleets.push(made)
    return made
  }
  const canaries = fleet('canaries', 'canary', 5)
  const frail = fleet('frail', 'canary', 3)
  const crowds = [fleet('north', 'rest', 13), fleet('south', 'rest', 13), fleet('east', 'rest', 12)]
  const remote = fleet('remote', 'rest', 1)
  const weak = fleet('weak', 'rest', 3)
  for (const one of fleets) one.start('success')
  const enrolled = () => fleets.reduce((sum, one) => sum + one.answers().size, 0)
  await expect.poll(enrolled).toBe(50)
  for (const one of [frail, weak]) await one.stop()

  /** The canaries first, then all: from the quick dialog to the full plan. */
  const plan = async (name: string, more: () => Promise<void>) => {
    await button(page, 'Start rollout').click()
    await page.getByRole('dialog').getByText('All at once').click()
    await page.getByRole('dialog').getByRole('link', { name: 'Full plan…' }).click()
    const wave = (n: number) => page.getByRole('group', { name: `Wave ${n}`, exact: true })
    await expect.poll(() => wave(1).getByRole('textbox', { name: 'Up to' }).inputValue()).toBe('100')
    await button(page, 'Add wave').click()
    await wave(2).getByRole('textbox', { name: 'Up to' }).fill('100')
    await wave(1).getByText('Tag', { exact: true }).click()
    await wave(1).getByRole('combobox', { name: 'Tag' }).click()
    await page.getByRole('option', { name: 'canary' }).click()
    await more()
    const ask = button(page, 'Ask for approval')
    await expect.poll(() => ask.getAttribute('aria-disabled')).toBeNull()
    await ask.click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.getByText('Waits for approval by someone', { exact: false }).waitFor()
    await showWaiting(page)
  }
  const approve = async (name: string) => {
    await other.goto(`${home}/releases/rollouts`)
    await other.getByText('Waiting for you 1').click()
    await other.getByRole('link', { name, exact: true }).click()
    await button(other, 'Approve').click()
    await inDialog(other, 'Approve').click()
    await other.getByText('Running, wave 1 of 2').waitFor()
  }

  await make('Gateway June', '2.6.0', 37)
  await plan('Gateway June #1', async () => {
    // Halts at the third failure, when each of the eight has begun.
    const wave = page.getByRole('group', { name: 'Wave 1', exact: true })
    await wave.getByText('Gate of wave 1', { exact: false }).click()
    await wave.getByRole('textbox', { name: 'May fail at most' }).fill('30')
    await wave.getByRole('textbox', { name: 'Measured from' }).fill('8')
  })
  for (let n = 0; n < 3; n++) await sample(page, 50)
  await approve('Gateway June #1')
  await page.getByText('Succeeded 5', { exact: true }).waitFor()
  for (let n = 0; n < 4; n++) await sample(page, 45)
  // The three others do not start with it.
  frail.start('boot_fails')
  await page.getByText('Wave 1 was halted: 3 of 8 failed', { exact: false }).first().waitFor()
  await page.getByText('Failed 3', { exact: true }).waitFor()
  for (let n = 0; n < 4; n++) await sample(page, 42)

  await button(page, 'More actions for Gateway June #1').click()
  await page.getByRole('menuitem', { name: 'Halt and roll back' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Reason', exact: true }).fill('Three gateways do not start with it')
  await inDialog(page, 'Halt and roll back').click()
  await page.getByText('All 5 devices have returned').first().waitFor()
  await frail.stop()

  await make('Gateway July', '2.6.1', 41)
  // For one device the maintenance window is closed: it is elsewhere.
  const [remoteId = ''] = remote.answers().keys()
  const setZone = async (zone: string) => {
    await page.goto(`${home}/devices/list/${remoteId}/edit`)
    await page.getByLabel('Time zone', { exact: true }).fill(zone)
    await button(page, 'Save').click()
    await page.waitForURL((url) => !url.pathname.endsWith('/edit'))
  }
  const release = page.url()
  await setZone('Etc/GMT-12')
  await page.goto(release)
  await plan('Gateway July #1', async () => {
    const wave = page.getByRole('group', { name: 'Wave 2', exact: true })
    await wave.getByText('Gate of wave 2', { exact: false }).click()
    await wave.getByRole('textbox', { name: 'Measured from' }).fill('42')
    await page.getByRole('switch', { name: 'Maintenance window' }).check()
    await textbox(page, 'From').fill(clock(-1))
    await textbox(page, 'To').fill(clock(2))
    await textbox(page, 'Devices at a time').fill('12')
  })
  await sample(page, 50)
  await approve('Gateway July #1')
  await page.getByText('Succeeded 5', { exact: true }).waitFor()
  for (let n = 0; n < 3; n++) await sample(page, 45)
  frail.start('success')
  weak.start('hook_fails')
  await page.getByText('Succeeded 46', { exact: true }).waitFor()
  await page.getByText('Failed 3', { exact: true }).waitFor()
  for (let n = 0; n < 3; n++) await sample(page, 1)

  // What failed is repaired and retried; the last device comes into its window.
  await weak.stop()
  await button(page, 'Retry failed').click()
  await inDialog(page, 'Retry failed').click()
  for (let n = 0; n < 2; n++) await sample(page, 4)
  weak.start('success')
  await page.getByText('Succeeded 49', { exact: true }).waitFor()
  const rollout = page.url()
  await setZone('')
  await page.goto(rollout)
  await page.getByText('50 of 50 succeeded').waitFor()
  await page.getByText('Completed', { exact: true }).first().waitFor()
  expect(samples).toBe(20)
  for (const one of crowds) expect([...one.answers().values()].every(({ told }) => told === null)).toBe(true)
  expect(canaries.answers().size).toBe(5)
})
