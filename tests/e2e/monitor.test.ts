import { expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { enroll, metrics } from '../../contract/device/endpoints'
import { deviceCommands } from '../../contract/fleet/device-commands'
import { createDevice, device as getDevice } from '../../contract/fleet/devices'
import { rolloutTimeline } from '../../contract/updates/rollouts'
import { enrollBody } from '../support/devices'
import { openPageCheck, withAxe } from './every-route/check-page'
import { busy } from './every-route/datasets'
import { addFilter, choose } from './support/add-filter'
import type { Locator, Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, type Visitor } from './support/hosts'

const { hosts, open } = useConsole()

const openMonitor = async (visitor: Visitor, projectId: string) => {
  const context = await open(visitor)
  await withAxe(context)
  const page = await context.newPage()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const address = `${hosts().console}/organizations/none/projects/${projectId}/monitor`
  await page.goto(address)
  await page.getByText('local', { exact: true }).waitFor()
  return { page, address }
}
const violations = (page: Page) =>
  page.evaluate(async () =>
    (await window.axe.run(document, {})).violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]),
  )
const searchOf = (page: Page) => new URL(page.url()).searchParams

/** The last day of a metric as the roll-up leaves it, with a gap of six hours: of the fleet, and of its two models. */
const insertHistory = async (projectId: string, name: string) => {
  const facts = `generate_series(now() - interval '24 hours', now(), interval '5 minutes') as t (moment),
    lateral (select date_bin('5 minutes', moment, 'epoch') as at) as bin
    where at not between now() - interval '12 hours' and now() - interval '6 hours'`
  const sketch = `1, 40, 40, 40, array[sketch_bin(40)], array[1]`
  await hosts().sql(
    `insert into fleet_metrics (project_id, name, step_s, at, n, sum, min, max, bins, counts)
     select $1, $2, 900, at, ${sketch} from ${facts} and at = date_bin('15 minutes', at, 'epoch')`,
    [projectId, name],
  )
  await hosts().sql(
    `insert into group_metrics (project_id, name, kind, value, step_s, at, n, sum, min, max, bins, counts)
     select $1, $2, 'model', value, step, at, ${sketch} from unnest(array['gw', 'cam']) as value, unnest(array[300, 3600]) as step, ${facts}
       and at = date_bin(make_interval(secs => step), at, 'epoch')`,
    [projectId, name],
  )
}

it('metrics are chosen, grouped, zoomed by keyboard and by dragging, and read as a table', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const { api } = hosts()
  const projectId = await projectOf(hosts(), ines)
  const names = ['cpu.usage_percent', 'app.queue_length']
  for (const model of ['gw', 'cam']) {
    const { body: made } = await call(api, createDevice, { projectId }, { as, body: { name: model, hardware_model: model } })
    const points = names.map((name) => ({ name, ts_ms: Date.now(), value: 40 }))
    await call(api, metrics, {}, { as: made.device_token, body: { points } })
  }
  for (const name of names) await insertHistory(projectId, name)
  const { page, address } = await openMonitor(ines, projectId)

  await page.getByRole('img', { name: /^CPU used: CPU used p50 last 40 %/ }).waitFor()
  await page.getByRole('button', { name: '4 metrics' }).click()
  await page.getByRole('combobox', { name: 'Metrics' }).fill('queue')
  await page.getByRole('option', { name: 'app.queue_length' }).click()
  await page.getByRole('figure', { name: 'app.queue_length' }).waitFor()
  expect(searchOf(page).get('metrics')).toContain('app.queue_length')
  await page.keyboard.press('Escape')
  // The browser remembers the choice for the project.
  await page.goto(address)
  await page.getByRole('figure', { name: 'app.queue_length' }).waitFor()

  await page.getByRole('combobox', { name: 'Group by' }).click()
  await page.getByRole('option', { name: 'By model' }).click()
  await page.getByRole('img', { name: /^CPU used: cam last 40 %, .*; gw last 40 %/ }).waitFor()
  expect(searchOf(page).get('group')).toBe('model')
  const chart = page.getByRole('figure', { name: /CPU used/ })
  await chart.getByRole('button', { name: 'Show CPU used as a table' }).click()
  const table = page.getByRole('table', { name: 'CPU used' })
  await table.waitFor()
  const read = await table.evaluate((element) =>
    [...element.querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.innerText)),
  )
  expect(read[0]).toEqual(['Time', 'cam', 'gw'])
  expect(read[1]?.slice(1)).toEqual(['40 %', '40 %'])
  // 96 quarters of an hour, without those of the gap.
  expect(read.length - 1).toBeGreaterThan(68)
  expect(read.length - 1).toBeLessThan(76)
  await openPageCheck(page).settle()
  expect(await violations(page)).toEqual([])
  await chart.getByRole('button', { name: 'Show CPU used as a chart' }).click()

  const lengthH = () => {
    const [from = 0, to = 0] = (searchOf(page).get('zoom') ?? '').split('-').map(Number)
    return (to - from) / 3600
  }
  const zoomIn = page.getByRole('button', { name: 'Zoom in' })
  await zoomIn.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Zoom out' }).waitFor()
  await expect.poll(() => Math.round(lengthH())).toBe(12)
  await page.goBack()
  await page.getByRole('button', { name: 'Zoom out' }).waitFor({ state: 'detached' })
  // Going back also restores the scroll position: `dragTo` waits until the chart stands still.
  const plot = chart.locator('.u-over')
  const inView = (part: Locator) =>
    part.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return top >= 0 && bottom <= window.innerHeight
    })
  const at = (share: number) => plot.evaluate((box, part) => ({ x: box.clientWidth * part, y: 30 }), share)
  await plot.dragTo(plot, { sourcePosition: await at(0.25), targetPosition: await at(0.5) })
  await page.getByRole('button', { name: 'Whole range' }).waitFor()
  // What was zoomed stays in view.
  await expect.poll(() => inView(plot)).toBe(true)
  expect(lengthH()).toBeGreaterThan(5)
  expect(lengthH()).toBeLessThan(7)
  await page.getByRole('button', { name: 'Whole range' }).click()
  await page.getByRole('button', { name: 'Zoom out' }).waitFor({ state: 'detached' })
})

it('what needs attention is worked off where it is listed, and leaves the list', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const { api } = hosts()
  const projectId = await projectOf(hosts(), ines)
  const add = async (name: string, state: string) => {
    const { body } = await call(api, createDevice, { projectId }, { as, body: { name, hardware_model: 'gw' } })
    await hosts().sql(`update devices set update_state = 'failed', update_error_code = 'hook_failed', ${state} where id = $1`, [
      body.id,
    ])
    return body.id
  }
  const quarantined = await add('gw-1', `quarantine_until = now() + interval '1 day', quarantine_reason = 'three failures'`)
  const paused = await add('gw-2', `updates_paused_until = now() + interval '1 day'`)
  const { body: token } = await call(
    api,
    createEnrollmentToken,
    { projectId },
    { as, body: { name: 'Field', auto_accept: false } },
  )
  const { body: pending } = await call(api, enroll, {}, { as: token.token, body: enrollBody() })
  await hosts().sql(
    `insert into device_flaps (device_id, project_id, kind, times) select $1, $2, 'connectivity', array_agg(now() - n * interval '10 minutes')
     from generate_series(1, 9) as n`,
    [paused, projectId],
  )
  const { page } = await openMonitor(ines, projectId)

  await page.getByText('Off and on 9 times in 6 h').waitFor()
  const button = (name: RegExp) => page.getByRole('button', { name })
  await button(/^Accept: /).click()
  await button(/^Accept: /).waitFor({ state: 'detached' })
  expect((await call(api, getDevice, { deviceId: pending.device_id }, { as })).body.lifecycle).toBe('active')

  await button(/^Clear quarantine: gw-1/).click()
  const question = page.getByRole('alertdialog', { name: 'Clear the quarantine of gw-1?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  expect((await call(api, getDevice, { deviceId: quarantined }, { as })).body.quarantine).not.toBe(null)
  await button(/^Clear quarantine: gw-1/).click()
  await question.getByRole('button', { name: 'Clear quarantine' }).click()
  await button(/^Clear quarantine: gw-1/).waitFor({ state: 'detached' })
  expect((await call(api, getDevice, { deviceId: quarantined }, { as })).body.quarantine).toBe(null)

  await button(/^Resume updates: gw-2/).click()
  await button(/^Resume updates: gw-2/).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await button(/^Resume updates: gw-2/).waitFor()
  const { updates_paused_until: until } = (await call(api, getDevice, { deviceId: paused }, { as })).body
  expect(Date.parse(until ?? '')).toBeGreaterThan(Date.now())
  // What another person changes leaves the list as well.
  await hosts().sql(`update devices set update_state = null where id = any($1)`, [[paused, quarantined]])
  await page.getByText('hook_failed').first().waitFor({ state: 'detached' })
  expect(await violations(page)).toEqual([])
})

/** The id of the n-th device of a fleet that a test inserts. */
const idOf = (n: number) => `01K0000000000000000${String(n).padStart(7, '0')}`

it('lists the first devices that need attention or flap, and leads to all of them, to their logs and to their next check-in', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const { api, sql } = hosts()
  const projectId = await projectOf(hosts(), ines)
  await sql(
    `insert into devices (id, created_at, updated_at, project_id, name, hardware_model, lifecycle, enrollment, last_seen_at, contact, health_status)
     select '01K0000000000000000' || lpad(n::text, 7, '0'), now(), now(), $1, 'gw-' || lpad(n::text, 3, '0'), 'gw', 'active',
       'simulated', now() - case when n <= 3 then interval '1 second' * n else interval '3 days' + interval '1 second' * n end,
       case when n <= 3 then 'online' else 'offline' end, case when n <= 3 then 'critical' else 'healthy' end
     from generate_series(1, 30) as n`,
    [projectId],
  )
  await sql(
    `insert into device_flaps (device_id, project_id, kind, times)
     select id, $1, 'connectivity', array_fill(now(), array[4]) from devices where project_id = $1 and name between 'gw-001' and 'gw-012'`,
    [projectId],
  )
  const { page, address } = await openMonitor(ines, projectId)
  const panel = (name: string) => page.getByRole('region', { name })
  const rows = (name: string) => panel(name).getByRole('link', { name: /^gw-/ })
  await panel('Attention').getByText('All 30', { exact: true }).waitFor()
  await panel('Flapping').getByText('All 12', { exact: true }).waitFor()
  expect([await rows('Attention').count(), await rows('Flapping').count()]).toEqual([20, 10])
  await openPageCheck(page).settle()
  expect(await violations(page)).toEqual([])

  // The same device twice: it flaps as well.
  await page.getByRole('button', { name: 'Check now: gw-001' }).click()
  await page.getByText('Delivered at the next check-in', { exact: false }).first().waitFor()
  const { body } = await call(api, deviceCommands, { deviceId: idOf(1) }, { as })
  expect(body.commands.map(({ command }) => command)).toEqual(['check_now'])
  await panel('Attention').getByRole('link', { name: 'Open logs: gw-004' }).click()
  await page.waitForURL(`**/devices/list/${idOf(4)}/system-logs`)

  for (const [name, filter, count] of [
    ['All 30 devices that need attention', 'any reason', 30],
    ['All 12 flapping devices', 'flapping', 12],
  ] as const) {
    await page.goto(address)
    await page.getByRole('link', { name }).click()
    await page.getByRole('heading', { name: `Devices ${count}`, exact: true }).waitFor()
    await page.getByText(filter, { exact: true }).waitFor()
  }
  await addFilter(page, 'Attention', (form) => choose(form.getByRole('combobox', { name: 'Value' }), 'Critical health'))
  await page.getByRole('heading', { name: 'Devices 3', exact: true }).waitFor()
})

it('the failed devices of an open rollout are retried from Monitor after their number was confirmed', async () => {
  const { visitor, addressesOf } = await busy(hosts())
  const [address = ''] = addressesOf('/organizations/$organizationId/projects/$projectId/monitor')
  const [rolloutPath = ''] = addressesOf('/organizations/$organizationId/projects/$projectId/releases/rollouts/$rolloutId')
  const rolloutId = rolloutPath.split('/').at(-1) ?? ''
  const kinds = async () =>
    (await call(hosts().api, rolloutTimeline, { rolloutId }, { as: visitor.token })).body.entries.map(({ kind }) => kind)
  const page = await (await open(visitor)).newPage()
  await page.goto(`${hosts().console}${address}`)
  const retry = page.getByRole('button', { name: /^Retry: / })
  const question = page.getByRole('alertdialog', { name: 'Retry 1 failed device of Gateway #1?' })
  await retry.click()
  await question.getByText('1 failed device is offered the release again, with all attempts.').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  expect(await kinds()).not.toContain('devices.retried')
  await retry.click()
  await question.getByRole('button', { name: 'Retry 1 failed device' }).click()
  await page.getByText('1 failed device of Gateway #1 queued again').waitFor()
  expect(await kinds()).toContain('devices.retried')
})
