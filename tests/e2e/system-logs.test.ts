import { readFile } from 'node:fs/promises'
import { beforeAll, expect, it } from 'vitest'
import { logs } from '../../contract/device/endpoints'
import { createDevice } from '../../contract/fleet/devices'
import { createLogSummary } from '../../contract/fleet/log-summaries'
import { repetitions } from '../support/counts'
import type { Locator, Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, type Visitor } from './support/hosts'

const { hosts, open } = useConsole()

const boots = [crypto.randomUUID(), crypto.randomUUID()] as const
const long = repetitions(30_000, 1_000_000)

let ines: Visitor
let projectId: string
let device: { id: string; device_token: string }

const send = async (lines: readonly object[]) => {
  const answer = await fetch(`${hosts().api}${logs.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${device.device_token}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
  expect(answer.status, await answer.text()).toBe(202)
}
const lineOf = (sequence: number, facts: object = {}) => ({
  sequence,
  ts_ms: Date.now(),
  level: 'info',
  unit: 'modbusd',
  message: `bus 1: 14 of 14 slaves answered in ${sequence} ms`,
  boot_id: boots[1],
  ...facts,
})

/** Lines a second apart up to now; an error at 77 % of them, a boot at 90 %. */
const seed = async (deviceId: string, count: number) => {
  for (let from = 1; from <= count; from += 50_000)
    await hosts().sql(
      `insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, boot_id, message, fields)
      select $1, $2, n, extract(epoch from at) * 1000, at, case when n = $6 then 3 when n % 50 = 0 then 4 else 6 end,
        case when n = $6 then 'kernel' else 'modbusd' end, case when n < $7 then $4 else $5 end,
        case when n = $6 then 'Out of memory: Killed process 412 (modemd)' else 'bus 1: answered in ' || n || ' ms' end, '{"bus": "1"}'
      from generate_series($3::int, $8::int) as n, lateral (select now() - ($9::int - n) * interval '0.2 second' as at) as moment`,
      [projectId, deviceId, from, boots[0], boots[1], errorAt, bootAt, Math.min(count, from + 49_999), count],
    )
  await hosts().sql(
    `insert into log_feeds (project_id, device_id, tokens, refilled_at, boot_id, last_sequence, units)
    values ($1, $2, 500, now(), $3, $4, array['modbusd', 'kernel'])`,
    [projectId, deviceId, boots[1], count],
  )
}
const errorAt = Math.floor(long * 0.77)
const bootAt = Math.floor(long * 0.9)

beforeAll(async () => {
  ines = await newUser(hosts())
  projectId = await projectOf(hosts(), ines)
  const body = { name: 'gw-0422-ridge', hardware_model: 'gw' }
  device = (await call(hosts().api, createDevice, { projectId }, { as: ines.token, body })).body
  await seed(device.id, long)
})

const path = () => `/organizations/none/projects/${projectId}/devices/list/${device.id}/system-logs`
const openLog = async (query = '') => {
  const context = await open(ines)
  const page = await context.newPage()
  await page.goto(hosts().console + path() + query)
  const grid = page.getByRole('treegrid', { name: 'Log lines' })
  await grid.waitFor()
  return { page, grid, context }
}
const row = (page: Page, sequence: number) => page.locator(`#line-${sequence}`)
const elements = (page: Page) => page.evaluate(() => document.querySelectorAll('main *').length)

/** Resolves when a scrolled box stands still: a wheel scrolls it for a while. */
const rest = (box: Locator) =>
  box.evaluate(
    (element) =>
      new Promise<void>((resolve) => {
        let before = -1
        const look = () => {
          if (element.scrollTop === before) return resolve()
          before = element.scrollTop
          setTimeout(look, 300)
        }
        look()
      }),
  )

it('a log opens at its newest lines and follows them, fetching only what is new; it stops where its reader looks elsewhere', async () => {
  const page = await (await open(ines)).newPage()
  const asked: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.endsWith('/system_logs')) asked.push(url.searchParams.get('after_sequence') ?? 'newest')
  })
  await page.goto(hosts().console + path())
  const grid = page.getByRole('treegrid', { name: 'Log lines' })
  await row(page, long).waitFor()
  await page.getByText('Following').waitFor()
  await send([lineOf(long + 1), lineOf(long + 2)])
  await row(page, long + 2).waitFor()
  // One page, and after it only what follows its last line.
  expect(asked[0]).toBe('newest')
  expect([...new Set(asked.slice(1))].filter((after) => after !== String(long) && after !== String(long + 2))).toEqual([])

  await grid.hover()
  await page.mouse.wheel(0, -2000)
  await page.getByText('Paused').waitFor()
  await send([lineOf(long + 3), lineOf(long + 4), lineOf(long + 5)])
  await page.getByText('Paused · 3 new lines').waitFor()
  const shown = await page.locator('[data-sequence]').first().getAttribute('data-sequence')
  await page.getByRole('button', { name: 'Newest lines' }).click()
  await row(page, long + 5).waitFor()
  await page.getByText('Following').waitFor()
  expect(Number(shown)).toBeLessThan(long)
  await expect.poll(() => elements(page)).toBeLessThan(500)
})

it('a link opens the log around its line, which grows in both directions; a line that was removed is told', async () => {
  const { page, grid, context } = await openLog(`?line=${errorAt}`)
  await row(page, errorAt).waitFor()
  await expect.poll(() => row(page, errorAt).getAttribute('data-linked')).toBe('true')
  await expect.poll(() => page.getByText('Paused').count()).toBe(1)
  await grid.hover()
  for (const [wheel, sequence] of [
    [-8000, errorAt - 300],
    [20_000, errorAt + 300],
  ] as const) {
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, wheel)
        const shown = await page.locator('[data-sequence]').first().getAttribute('data-sequence')
        return wheel < 0 ? Number(shown) < sequence : Number(shown) > sequence
      })
      .toBe(true)
    await expect.poll(() => elements(page)).toBeLessThan(500)
  }
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await rest(grid)
  const sequence = Number(await page.locator('[data-sequence]').nth(12).getAttribute('data-sequence'))
  await row(page, sequence).click()
  await row(page, sequence).getByRole('button', { name: 'Copy link to the line' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(`${hosts().console}${path()}?line=${sequence}`)
  await page.goto(copied)
  await row(page, sequence).waitFor()
  await page.goto(`${hosts().console}${path()}?line=${long * 10}`)
  await page.getByText('is not in this log', { exact: false }).waitFor()
})

it('a log says that its volume, or newer lines, could not be loaded, and loads them at another try', async () => {
  const page = await (await open(ines)).newPage()
  const failing = { status: 500, headers: { 'access-control-allow-origin': '*' } }
  await page.route(/system_logs\/volume/, (route) => route.fulfill(failing))
  await page.goto(`${hosts().console}${path()}?line=${errorAt}`)
  const grid = page.getByRole('treegrid', { name: 'Log lines' })
  await row(page, errorAt).waitFor()
  const volume = page.getByRole('button', { name: 'The volume of lines could not be loaded. Try again' })
  await volume.waitFor()
  await page.route(/system_logs\?.*after_sequence=/, (route) => route.fulfill(failing))
  const newer = page.getByRole('button', { name: 'Newer lines could not be loaded. Try again' })
  const lastShown = async () => {
    await grid.hover()
    await page.mouse.wheel(0, 20_000)
    return Number(await page.locator('[data-sequence]').last().getAttribute('data-sequence'))
  }
  await expect.poll(async () => (await lastShown(), newer.count())).toBe(1)
  await rest(grid)
  const last = await lastShown()
  await page.unrouteAll()
  await newer.click()
  await newer.waitFor({ state: 'detached' })
  await expect.poll(lastShown).toBeGreaterThan(last)
  await volume.click()
  await page.getByRole('slider').waitFor()
})

it('a log is filtered and opened at a time, all of it in the URL', async () => {
  const { page } = await openLog()
  await page.getByText('Error +').click()
  await page.waitForURL('**?level=err')
  await row(page, errorAt).waitFor()
  await expect.poll(() => page.locator('[data-sequence]').count()).toBe(1)
  await page.getByText('The log begins here.', { exact: false }).waitFor()
  await page.getByText('Debug +').click()
  await page.getByRole('button', { name: 'All units' }).click()
  await page.getByRole('dialog', { name: 'Units' }).getByText('kernel', { exact: true }).click()
  await page.waitForURL('**?unit=kernel')
  await page.keyboard.press('Escape')
  await row(page, errorAt).waitFor()
  // Far back, found by one request after another.
  await page.goto(`${hosts().console}${path()}?q=in+1234+ms`)
  await row(page, 1234).waitFor()

  // The lines are a fifth of a second apart.
  const at = Date.now() - (long - 2000) * 200
  await page.goto(`${hosts().console}${path()}?at=${at}`)
  await page.locator('[data-sequence]').first().waitFor()
  const first = Number(await page.locator('[data-sequence]').first().getAttribute('data-sequence'))
  expect(Math.abs(first - 2000)).toBeLessThan(2000)
  await page.goto(`${hosts().console}${path()}?line=${bootAt}`)
  await page
    .getByRole('treegrid', { name: 'Log lines' })
    .getByText(`Boot ${boots[1].slice(0, 4)}`)
    .waitFor()
})

it('a log is read by keyboard: moved in, expanded, selected and copied, and opened at its ends', async () => {
  const { page, grid, context } = await openLog()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByText('Following').waitFor()
  const active = () => grid.getAttribute('aria-activedescendant')
  await grid.focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(active).not.toBeNull()
  const last = Number((await active())?.slice('line-'.length))
  await page.keyboard.press('ArrowUp')
  await expect.poll(active).toBe(`line-${last - 1}`)
  await page.keyboard.press('Enter')
  await expect.poll(() => row(page, last - 1).getAttribute('aria-expanded')).toBe('true')
  await page.getByRole('button', { name: 'Copy JSON' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Shift+ArrowUp')
  await page.keyboard.press('Shift+ArrowUp')
  await page.getByText('3 lines selected', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Copy lines' }).click()
  // The clipboard is written a moment after the press.
  const copied = async () => (await page.evaluate(() => navigator.clipboard.readText())).split('\n')
  await expect.poll(copied).toHaveLength(3)
  expect((await copied())[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z info {4}modbusd: bus 1/)
  await grid.focus()
  await page.keyboard.press('PageUp')
  await expect.poll(async () => Number((await active())?.slice('line-'.length))).toBeLessThan(last - 5)
  await page.keyboard.press('Home')
  await row(page, 1).waitFor()
  await page.getByText('The log begins here.', { exact: false }).waitFor()
  await page.getByRole('treegrid', { name: 'Log lines' }).focus()
  await page.keyboard.press('End')
  await page.getByText('Following').waitFor()
  await page.getByRole('treegrid', { name: 'Log lines' }).focus()
  await page.keyboard.press('/')
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Filter by text')
})

it('the strip of its volume is used by keyboard: it says each bar, opens the log at one, and selects a span', async () => {
  const { page } = await openLog()
  await page.getByText('Following').waitFor()
  const strip = page.getByRole('slider', { name: /lines from .* with errors$/ })
  // The strip comes after the lines.
  await strip.waitFor()
  await page.getByRole('button', { name: 'Export' }).focus()
  await page.keyboard.press('Tab')
  expect(await strip.evaluate((element) => element === document.activeElement)).toBe(true)
  const at = async () => Number(await strip.getAttribute('aria-valuenow'))
  await page.keyboard.press('End')
  const last = await at()
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowLeft')
  const third = await at()
  expect(third).toBeLessThan(last)
  await expect.poll(() => strip.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d:\d\d, [\d,]+ lines?$/)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**?at=${third}`)
  await page.getByText('Paused').waitFor()

  await strip.focus()
  await page.keyboard.press('Shift+ArrowLeft')
  const from = await at()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**?from=${from}&to=*`)
  expect(Number(new URL(page.url()).searchParams.get('to'))).toBeGreaterThan(third)
  await page.getByRole('button', { name: 'Clear Time' }).waitFor()
})

it('the lines that a summary cites lead to the log at that line', async () => {
  // Lines are a fifth of a second apart.
  const at = Date.now() - (long - errorAt) * 200
  const stampOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}+00:00`
  const body = { from: stampOf(at - 300_000), to: stampOf(at + 300_000) }
  const made = await call(hosts().api, createLogSummary, { deviceId: device.id }, { as: ines.token, body })
  expect(made.body.findings.flatMap(({ cited }) => cited.map(({ sequence }) => sequence))).toContain(errorAt)
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}${path().replace('system-logs', 'log-summaries')}`)
  await page.getByRole('link', { name: `Line ${errorAt} in the log` }).click()
  await page.waitForURL(`**/system-logs?line=${errorAt}`)
  await expect.poll(() => row(page, errorAt).getAttribute('data-linked')).toBe('true')
})

it('an export has the lines of the filter as a file', async () => {
  const { page } = await openLog('?level=warning')
  await page.locator('[data-sequence]').first().waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'NDJSON, with all fields' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  const sequences = text
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { sequence: number }).sequence)
  const expected = Array.from({ length: Math.floor(long / 50) }, (_, n) => (n + 1) * 50)
  expect(sequences).toEqual([...new Set([...expected, errorAt])].toSorted((a, b) => a - b))
})
