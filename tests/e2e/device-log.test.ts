import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { backfill } from '../../agent/simulate/backfill'
import { classes } from '../../agent/simulate/classes'
import { poll } from '../../agent/simulate/run-device'
import type { SimulatedDevice } from '../../agent/simulate/simulated-device'
import { openSimulatedDevice, quietFleet } from '../../agent/testing/simulated'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import type { LogLine } from '../../contract/device/api'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, type Visitor } from './support/hosts'

const { hosts, open } = useConsole()

const pastHours = 6
const lostOnTheWay = 7
const lostInMemory = 5

let ines: Visitor
let device: SimulatedDevice
let directory: string
let path: string
/** What the server was sent, in the order of the sequence numbers. */
const sent: LogLine[] = []
/** The last lines of the boots of the device: of its past, and of the two that follow. */
let ends: [number, number]
const stop = new AbortController()

const openDevice = async (token: string) => {
  const [gateway] = classes
  if (!gateway) throw new Error('There is no class')
  const options = { ...quietFleet(hosts().api, token, []), backfillHours: pastHours, logFactor: 1 }
  const profile = { serial: 'GWI-0422', name: 'gw-0422-ridge', kind: gateway }
  const opened = await openSimulatedDevice(profile, join(directory, 'device.json'), options, stop.signal)
  const { logs } = opened.api
  opened.api.logs = async (lines) => {
    const answer = await logs(lines)
    expect(answer.accepted).toBe(lines.length)
    sent.push(...lines)
    return answer
  }
  return opened
}
const write = (count: number, what: string) => {
  for (let n = 1; n <= count; n++) device.log('info', 'app', `${what} ${n} of ${count}`)
}
const send = () => device.logBuffer.send(device.api)
const lastSent = () => sent.at(-1)?.sequence ?? 0

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'teasel-device-log-'))
  ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const body = { name: 'line', kind: 'group' as const, auto_accept: true }
  const { token } = (await call(hosts().api, createEnrollmentToken, { projectId }, { as: ines.token, body })).body
  device = await openDevice(token)
  await poll(device)
  await backfill(device)
  const past = lastSent()
  // The lines of its present boot.
  await send()
  write(10, 'before the loss')
  await send()
  const { logs } = device.api
  device.api.logs = async (lines) => ({ accepted: lines.length, dropped: 0, reasons: {}, next_allowed_ms: 0 })
  write(lostOnTheWay, 'lost on the way')
  await send()
  device.api.logs = logs
  // Few, so that the lost ones are in sight with the last of them.
  write(4, 'after the loss')
  await send()
  ends = [past, lastSent()]
  write(lostInMemory, 'lost in memory')
  device.memory.save()
  device = await openDevice(token)
  device.reboot()
  await poll(device)
  await send()
  path = `/organizations/none/projects/${projectId}/devices/list/${device.memory.identity?.device_id}/system-logs`
})
afterAll(() => {
  stop.abort()
  rmSync(directory, { recursive: true, force: true })
})

const openLog = async (query = '', prepare: (page: Page) => Promise<unknown> = () => Promise.resolve()) => {
  const context = await open(ines)
  const page = await context.newPage()
  await prepare(page)
  await page.goto(hosts().console + path + query)
  const grid = page.getByRole('treegrid', { name: 'Log lines' })
  await grid.waitFor()
  return { page, grid, context }
}
const row = (page: Page, sequence: number) => page.locator(`#line-${sequence}`)
/** The lines whose rows are in the document. */
const listShown = (page: Page) =>
  page.locator('[data-sequence]').evaluateAll((rows) => rows.map((one) => Number(one.getAttribute('data-sequence'))))
const bootOf = (sequence: number) => {
  const found = sent.find((line) => line.sequence === sequence)?.boot_id
  if (found === undefined || found === null) throw new Error(`No boot of line ${sequence}`)
  return found
}

it('the log of a device has a row for the lines that never arrived, and one for each boot with the lines lost by it', async () => {
  const [past, former] = ends
  const { page, grid } = await openLog(`?line=${former}`)
  await row(page, former).waitFor()
  await grid.getByText(`${lostOnTheWay} lines missing`, { exact: true }).waitFor()
  const boot = grid.getByRole('row').filter({ hasText: `Boot ${bootOf(lastSent()).slice(0, 4)}` })
  await expect.poll(() => boot.textContent()).toMatch(new RegExp(`was up .*${lostInMemory} lines missing$`))
  await page.goto(`${hosts().console}${path}?line=${past}`)
  await row(page, past).waitFor()
  await grid.getByText(`Boot ${bootOf(past + 1).slice(0, 4)}`).waitFor()
  // Five minutes of the past without a warning.
  await grid
    .getByText(/^No lines for \d+ min/)
    .first()
    .waitFor()
})

it('a boot is chosen from those of the device: the log has its lines only, and all lines again without it', async () => {
  const [past, former] = ends
  const { page, grid } = await openLog()
  await row(page, lastSent()).waitFor()
  const boot = page.getByRole('combobox', { name: 'Boot' })
  const choose = async (name: string | RegExp) => {
    await boot.click()
    await page.getByRole('option', { name }).click()
  }
  await choose(new RegExp(`^Boot ${bootOf(former).slice(0, 4)}, `))
  await page.waitForURL((url) => url.searchParams.get('boot') === bootOf(former) && url.searchParams.has('at'))
  await row(page, past + 1).waitFor()
  await expect.poll(async () => Math.min(...(await listShown(page)))).toBe(past + 1)
  await grid.focus()
  await page.keyboard.press('End')
  await row(page, former).waitFor()
  await expect.poll(async () => Math.max(...(await listShown(page)))).toBe(former)
  await page.getByText('Following').waitFor()
  await choose('All boots')
  await page.waitForURL((url) => !url.searchParams.has('boot'))
  await row(page, lastSent()).waitFor()
})

const two = (value: number) => String(value).padStart(2, '0')
/** A time with half a minute, as the field of a date and time takes it in the zone of this machine. */
const toField = (ms: number) => {
  const date = new Date(ms)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}:30`
}
/** Half of the minute after a line of the past, whose lines are five minutes apart. */
const justAfter = (line: LogLine | undefined) => (Math.floor((line?.ts_ms ?? 0) / 60_000) + 1.5) * 60_000

it('a jump opens the log at the first line from a time on, and a span of time leaves only the lines within it', async () => {
  const [at, until] = [justAfter(sent[20]), justAfter(sent[30])]
  const first = sent.find(({ ts_ms }) => ts_ms >= at)?.sequence ?? 0
  const { page, grid } = await openLog()
  await row(page, lastSent()).waitFor()
  const jump = async (fields: Record<string, string>) => {
    await page.getByRole('button', { name: 'Jump to time' }).click()
    const popover = page.getByRole('dialog', { name: 'Jump to time' })
    for (const [label, value] of Object.entries(fields)) await popover.getByLabel(label, { exact: true }).fill(value)
    await popover.getByRole('button', { name: 'Jump', exact: true }).click()
  }
  await jump({ Time: toField(at) })
  await page.waitForURL(`**?at=${at}`)
  await page.getByText('Paused').waitFor()
  const isInSight = async () => {
    const [box, line] = [await grid.boundingBox(), await row(page, first).boundingBox()]
    return box !== null && line !== null && line.y >= box.y && line.y + line.height <= box.y + box.height
  }
  await expect.poll(isInSight).toBe(true)

  await jump({ Time: '', 'Only lines from': toField(at), 'Only lines before': toField(until) })
  await page.waitForURL(`**?from=${at}&to=${until}`)
  const within = sent.filter(({ ts_ms }) => ts_ms >= at && ts_ms < until).map(({ sequence }) => sequence)
  expect(within.length).toBeGreaterThan(0)
  await expect.poll(() => listShown(page)).toEqual(within)
  await page.getByRole('button', { name: 'Clear Time' }).click()
  await row(page, lastSent()).waitFor()
})

it('with the live tail off no new line is asked for, and with it on again the log follows what has come', async () => {
  const asked: string[] = []
  const { page } = await openLog('', async (opened) => {
    await opened.clock.install()
    opened.on('request', (request) => {
      const url = new URL(request.url())
      if (url.pathname.endsWith('/system_logs')) asked.push(url.search)
    })
  })
  await page.getByText('Following').waitFor()
  await row(page, lastSent()).waitFor()
  const tail = page.getByRole('switch', { name: 'Live tail' })
  expect(await tail.isChecked()).toBe(true)
  await expect.poll(() => asked.filter((search) => search.includes('after_sequence')).length).toBeGreaterThan(0)
  await tail.click()
  await page.getByText('Paused').waitFor()
  const before = asked.length
  const known = lastSent()
  write(3, 'without a reader')
  await send()
  // The volume, which is read more rarely than the tail, is read again.
  const volume = page.waitForRequest((request) => request.url().includes('/system_logs/volume'))
  await page.clock.fastForward(150_000)
  await volume
  expect(asked.slice(before)).toEqual([])
  expect(await row(page, known + 1).count()).toBe(0)
  await tail.click()
  await row(page, lastSent()).waitFor()
  await page.getByText('Following').waitFor()
  expect(lastSent()).toBe(known + 3)
})

it('a filter that no line fits offers to clear it: the log has all lines again', async () => {
  const context = await open(ines)
  const page = await context.newPage()
  const [, former] = ends
  await page.goto(`${hosts().console}${path}?q=never-written&level=err&unit=app&boot=${bootOf(former)}&from=1`)
  await page.getByRole('heading', { name: 'Not Found' }).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await row(page, lastSent()).waitFor()
  expect(new URL(page.url()).search).toBe('')
  expect(await page.getByRole('searchbox', { name: 'Filter by text' }).inputValue()).toBe('')
})

it('two units are chosen together, also if the name of one has a comma', async () => {
  const known = lastSent()
  device.log('info', 'ntp,backup', 'clock set')
  device.log('info', 'door', 'closed')
  await send()
  const { page } = await openLog()
  await row(page, lastSent()).waitFor()
  await page.getByRole('button', { name: 'All units' }).click()
  const units = page.getByRole('dialog', { name: 'Units' })
  const choose = (name: string) => units.getByRole('checkbox', { name, exact: true }).check()
  await choose('ntp,backup')
  await choose('door')
  await page.getByRole('button', { name: '2 units' }).waitFor()
  await expect.poll(() => listShown(page)).toEqual([known + 1, known + 2])
  await units.getByRole('checkbox', { name: 'door', exact: true }).uncheck()
  await expect.poll(() => listShown(page)).toEqual([known + 1])
})

it('the link to a line opens the log at this line in another browser', async () => {
  const [past] = ends
  const { page, context } = await openLog(`?line=${past}`)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await row(page, past - 3).click()
  await row(page, past - 3)
    .getByRole('button', { name: 'Copy link to the line' })
    .click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(`${hosts().console}${path}?line=${past - 3}`)
  const other = await (await open(ines)).newPage()
  await other.goto(copied)
  await expect.poll(() => row(other, past - 3).getAttribute('data-linked')).toBe('true')
  expect(await row(other, past - 3).textContent()).toContain(sent[past - 4]?.message)
})

it('a log says for how long its plan keeps lines, where it begins, and from when on lines were removed', async () => {
  const { page, grid } = await openLog()
  await page.getByText('Kept for 3 days').waitFor()
  await grid.focus()
  await page.keyboard.press('Home')
  await row(page, 1).waitFor()
  const kept = 'the plan keeps 3 days and at most 200,000 lines of a project.'
  await page.getByText(`The log begins here. Lines are removed later: ${kept}`).waitFor()
  await hosts().sql('delete from device_logs where device_id = $1 and sequence <= 12', [device.memory.identity?.device_id])
  await hosts().sql(`update users set pricing_plan = 'production' where email = $1`, [ines.email])
  await page.reload()
  await row(page, 13).waitFor()
  await page
    .getByText(/^Lines before .* were removed: the plan keeps 30 days and at most 50,000,000 lines of a project\.$/)
    .waitFor()
  await page.getByText('Kept for 30 days').waitFor()
})
