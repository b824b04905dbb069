import { expect, it } from 'vitest'
import { createDevice } from '../../contract/fleet/devices'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser } from './support/hosts'

const { hosts, open } = useConsole()

/** An attempt of ten days ago that failed, and one of today that has begun. */
const scene = async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const body = { name: 'gw-0422-ridge', hardware_model: 'gw' }
  const { id } = (await call(hosts().api, createDevice, { projectId }, { as: ines.token, body })).body
  const events = [
    ['update_offered', 'offered', 10, 1, null],
    ['download_completed', 'downloaded', 10, 1, null],
    ['update_failed', 'failed', 10, 1, 'install_failed'],
    ['update_offered', 'offered', 0, 2, null],
    ['download_started', 'downloading', 0, 2, null],
  ] as const
  for (const [n, [type, state, days, attempt, reason]] of events.entries())
    await hosts().sql(
      `insert into update_events (project_id, device_id, id, event_id, attempt, type, to_state, reason_code, ts_ms, received_at, source, version)
       select $1, $2, '01K' || lpad($3::text, 23, '0'), 'e' || $3, $4, $5, $6, $7, extract(epoch from at) * 1000, at, 'device', 7
       from (select now() - $8::int * interval '1 day' as at) as moment`,
      [projectId, id, String(n), attempt, type, state, reason, days],
    )
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/devices/list/${id}/update-events`)
  await page.getByText('· attempt 1').waitFor()
  return page
}

const choose = async (page: Page, select: string, option: string) => {
  await page.getByRole('combobox', { name: select, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const event = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

it('update events are filtered by type and period, both in the address; of one type, no result of an attempt is claimed', async () => {
  const page = await scene()
  await page.getByText('Failed: install_failed').waitFor()
  await choose(page, 'Type', 'Failures and rollbacks')
  await page.waitForURL('**?type=failures')
  await event(page, 'Download started').waitFor({ state: 'detached' })
  await event(page, 'Update failed').waitFor()
  await expect.poll(() => page.getByRole('list', { name: 'Phases' }).count()).toBe(0)
  await expect.poll(() => page.getByText('Failed: install_failed').count()).toBe(0)

  await choose(page, 'Period', 'Last 7 days')
  await page.waitForURL('**?type=failures&period=7d')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await event(page, 'Update failed').waitFor()
  expect(new URL(page.url()).search).toBe('')

  await page.goto(`${page.url()}?period=24h&type=nonsense`)
  await event(page, 'Download started').waitFor()
  await expect.poll(() => event(page, 'Update failed').count()).toBe(0)
  await choose(page, 'Type', 'Download started')
  await page.reload()
  await event(page, 'Download started').waitFor()
  await expect.poll(() => event(page, 'Update offered').count()).toBe(0)
})
