import { expect, it } from 'vitest'
import { createDevice } from '../../contract/fleet/devices'
import { createTag } from '../../contract/fleet/tags'
import { openPageCheck, sideways, violations, withAxe } from './every-route/check-page'
import { checkInThemes } from './every-route/check-in-themes'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser } from './support/hosts'
import { highlighted } from './support/options'

const { hosts, open } = useConsole()

const longName = 'gw-0422-a-very-long-name-of-a-gateway-on-the-roof-of-the-northern-cold-store'

const scene = async () => {
  const ines = await newUser(hosts())
  const { api, console, sql } = hosts()
  const projectId = await projectOf(hosts(), ines)
  const as = ines.token
  await call(api, createTag, { projectId }, { as, body: { name: 'roof', colour: 'moss' } })
  const { body: device } = await call(api, createDevice, { projectId }, { as, body: { name: longName, hardware_model: 'gw' } })
  await call(api, createDevice, { projectId }, { as, body: { name: 'gw-0002', hardware_model: 'gw' } })
  await sql(
    `insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, boot_id, message, fields)
     select $1, $2, n, extract(epoch from now()) * 1000 - (300 - n) * 1000, now(), 6, 'modbusd', $3, 'bus 1: answered in ' || n || ' ms', '{"bus": "1"}'
     from generate_series(1, 300) as n`,
    [projectId, device.id, crypto.randomUUID()],
  )
  await sql(
    `insert into log_feeds (project_id, device_id, tokens, refilled_at, boot_id, last_sequence, units)
     values ($1, $2, 500, now(), 'b', 300, array['modbusd', 'kernel'])`,
    [projectId, device.id],
  )
  const context = await open(ines)
  await withAxe(context)
  const page = await context.newPage()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const { settle } = openPageCheck(page)
  const findings: string[] = []
  // Lists of options and popovers are in the body, outside of the landmark of their button.
  const note = (name: string, found: string[]) =>
    findings.push(...found.filter((one) => !/\bregion: /.test(one)).map((one) => `${name}: ${one}`))
  return {
    page,
    home: `${console}/organizations/none/projects/${projectId}`,
    deviceId: device.id,
    findings,
    /** In both themes and widths. */
    look: async (name: string) => note(name, await checkInThemes(page, settle, `fleet ${name}`)),
    /** The present state only. */
    glance: async (name: string) => {
      await settle()
      note(name, [...(await violations(page)), ...(await sideways(page))])
    },
  }
}

it('the popovers and dialogs of the devices list break no rule of axe', async () => {
  const { page, home, findings, look, glance } = await scene()
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto(`${home}/devices/list`)
  await page.getByRole('link', { name: 'gw-0002' }).waitFor()
  await look('devices')
  await button('Filter').click()
  await page.getByRole('dialog', { name: 'Add a filter' }).waitFor()
  await glance('filter')
  await page.getByRole('dialog', { name: 'Add a filter' }).getByRole('combobox', { name: 'Field' }).fill('Tag')
  await highlighted(page, 'Tag')
  await page.keyboard.press('Enter')
  await glance('filter by tag')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await button('Columns').click()
  await page.getByRole('checkbox', { name: 'Serial number' }).waitFor()
  await glance('columns')
  await page.keyboard.press('Escape')
  await button('All devices').click()
  await page.getByRole('menuitem', { name: 'Save view…' }).waitFor()
  await glance('views')
  await page.getByRole('menuitem', { name: 'Save view…' }).click()
  await page.getByRole('dialog', { name: 'Save view' }).waitFor()
  await look('save view')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Save view' }).waitFor({ state: 'detached' })

  await page.getByRole('checkbox', { name: 'Select gw-0002' }).click()
  await button('Tags').waitFor()
  await look('selection')
  for (const name of ['Tags', 'Pause updates', 'Decommission']) {
    await button(name).click()
    await page.getByRole('alertdialog').waitFor()
    await glance(name)
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  }
  await button('More for the selected devices').click()
  await page.getByRole('menuitem', { name: 'Disable…' }).waitFor()
  await glance('more')
  await page.getByRole('menuitem', { name: 'Disable…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.waitFor()
  await glance('disable')
  await dialog.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('1 of 1 device', { exact: true }).waitFor()
  await page.getByText('Done', { exact: true }).first().waitFor()
  await look('job')
  await page.goto(`${home}/devices/jobs`)
  await page.getByRole('link', { name: 'Disable' }).waitFor()
  await look('jobs')

  await page.route('**/devices/export*', async () => {})
  await page.goto(`${home}/devices/list`)
  await button('More').click()
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click()
  await page.getByRole('progressbar', { name: 'Export' }).waitFor()
  expect(await violations(page)).toEqual([])
  await button('Cancel export').click()
  expect(findings).toEqual([])
})

it('an opened line of a log, its popovers, and the strip of its volume break no rule of axe', async () => {
  const { page, home, deviceId, findings, look, glance } = await scene()
  await page.goto(`${home}/devices/list/${deviceId}/system-logs?line=250`)
  await page.locator('#line-250').dblclick()
  await page.getByRole('button', { name: 'Copy JSON' }).waitFor()
  await look('log line')
  await page.getByRole('button', { name: 'All units' }).click()
  await page.getByRole('dialog', { name: 'Units' }).waitFor()
  await glance('units')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Jump to time' }).click()
  await page.getByRole('dialog', { name: 'Jump to time' }).waitFor()
  await glance('jump to time')
  await page.keyboard.press('Escape')
  await page.getByRole('slider').focus()
  await page.keyboard.press('Shift+ArrowLeft')
  await glance('volume')
  expect(findings).toEqual([])
})

it('a config that is checked, and one that is generated with its code to scan, break no rule of axe', async () => {
  const { page, home, findings, look } = await scene()
  await page.goto(`${home}/devices/device-config-generator`)
  await page.getByRole('textbox', { name: 'Content of the file' }).fill('{ "schema": 1, "serverurl": "http://example.com" }')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByText('serverurl', { exact: false }).last().waitFor()
  await look('check config')
  expect(findings).toEqual([])
})
