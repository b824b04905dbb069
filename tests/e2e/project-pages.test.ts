import { expect, it } from 'vitest'
import { logs } from '../../contract/device/endpoints'
import { deleteDevice } from '../../contract/fleet/device-lifecycle'
import { createDevice, device } from '../../contract/fleet/devices'
import { createOrganization } from '../../contract/accounts/organization'
import { permissionWords } from '../../contract/core/permissions'
import { project } from '../../contract/accounts/projects'
import { createOrganizationProject } from '../../contract/accounts/project-changes'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, subscriber, type Visitor } from './support/hosts'
import { join } from './support/members'
import { choose } from './support/options'

const { hosts, open } = useConsole()

const openAt = async (visitor: Visitor, path: string) => {
  const page = await (await open(visitor)).newPage()
  await page.goto(hosts().console + path)
  return page
}
const homeOf = (projectId: string, organizationId = 'none') => `/organizations/${organizationId}/projects/${projectId}`
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
/** §8, R26: the title of the catalogue, and under it the missing permission. */
const refused = async (page: Page, permission: string) => {
  await heading(page, 'Unauthorized').waitFor()
  await page.getByText(`Needs “${permissionWords(permission)}”.`, { exact: false }).waitFor()
}
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

it('§2: the settings of a project open on general, a form that changes it', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const page = await openAt(ines, `${homeOf(projectId)}/settings`)
  await page.waitForURL(`**${homeOf(projectId)}/settings/general`)
  await page.getByRole('heading', { name: 'General', level: 1 }).waitFor()
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('Orchard')
  await field(page, 'Name').fill('')
  await save(page)
  await expect.poll(() => field(page, 'Name').getAttribute('aria-invalid')).toBe('true')
  await field(page, 'Name').fill('Orchard South')
  await field(page, 'Description').fill('Along the river')
  await save(page)
  await page.getByRole('navigation', { name: 'Project' }).getByText('Orchard South').waitFor()
  const { body } = await call(hosts().api, project, { projectId }, { as: ines.token })
  expect([body.name, body.description]).toEqual(['Orchard South', 'Along the river'])
})

it('§2: a device is added by its form, and only its answer contains the token; a viewer sees the missing permission', async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { body: made } = await call(hosts().api, createOrganization, {}, { as, body: { name: 'Hedgerow' } })
  const organizationId = made.public_id
  const body = { name: 'Gateways' }
  const { body: gateways } = await call(hosts().api, createOrganizationProject, { organizationId }, { as, body })
  const adding = `${homeOf(gateways.id, organizationId)}/devices/list/add`
  const page = await openAt(ines, adding)
  await field(page, 'Name').fill('gw-0417-north')
  await field(page, 'Serial number').fill('SN 0417')
  await field(page, 'Hardware model').fill('gw-imx8m')
  await save(page)
  await page.getByText('Use 1 to 128 visible characters without spaces').waitFor()
  await expect.poll(() => field(page, 'Serial number').inputValue()).toBe('SN 0417')
  await field(page, 'Serial number').fill('SN-0417')
  await save(page)
  await page.getByText('The token is shown only now.', { exact: false }).waitFor()
  const told = await page
    .getByText(/"device_id"/)
    .first()
    .textContent()
  await page.getByRole('link', { name: 'Open the device' }).click()
  await page.getByRole('heading', { name: 'gw-0417-north' }).waitFor()
  const [, deviceId = ''] = /"device_id": *"(\w+)"/.exec(told ?? '') ?? []
  const { body: kept } = await call(hosts().api, device, { deviceId }, { as })
  expect([kept.name, kept.serial_number, kept.hardware_model]).toEqual(['gw-0417-north', 'SN-0417', 'gw-imx8m'])

  const vera = await newUser(hosts())
  await join(hosts(), organizationId, vera, 'viewer')
  const theirs = await openAt(vera, adding)
  await refused(theirs, 'project:manage_devices')
  await theirs.goto(`${hosts().console}${homeOf(gateways.id, organizationId)}/devices/list/${deviceId}/edit`)
  await refused(theirs, 'project:manage_devices')
  await expect.poll(() => field(theirs, 'Name').count()).toBe(0)
})

it('a device reboots only after a confirmation that names it', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const fresh = { name: 'gw-0417-north', hardware_model: 'gw' }
  const { body: made } = await call(hosts().api, createDevice, { projectId }, { as: ines.token, body: fresh })
  const page = await openAt(ines, `${homeOf(projectId)}/devices/list/${made.id}/system-logs`)
  const sent: unknown[] = []
  page.on('request', (request) => request.url().endsWith('/commands') && sent.push([request.method(), request.postDataJSON()]))
  const question = page.getByRole('alertdialog', { name: 'Reboot gw-0417-north?', exact: true })
  const ask = () => page.getByRole('button', { name: 'Reboot', exact: true }).click()
  await ask()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  expect(sent).toEqual([])
  await ask()
  await question.getByRole('button', { name: 'Reboot', exact: true }).click()
  await page.getByText('Delivered at the first check-in: this device has never checked in').waitFor()
  expect(sent).toEqual([['POST', { command: 'reboot' }]])
})

it('§2: the log of a device is summarized on a card, and also as plain text', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const fresh = { name: 'gw-0417-north', hardware_model: 'gw' }
  const { body: made } = await call(hosts().api, createDevice, { projectId }, { as: ines.token, body: fresh })
  const page = await openAt(ines, `${homeOf(projectId)}/devices/list/${made.id}/log-summaries`)
  await heading(page, 'Not Found').waitFor()

  const boot_id = crypto.randomUUID()
  const lines = ['radio up', 'radio up', 'valve opened'].map((message, index) =>
    JSON.stringify({ sequence: index + 1, ts_ms: Date.now() - 60_000 + index, level: 'info', unit: 'app', message, boot_id }),
  )
  const sent = await fetch(`${hosts().api}${logs.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.device_token}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  })
  expect(sent.status, await sent.text()).toBe(202)
  await page.getByRole('button', { name: 'Summarize' }).click()
  const card = page.getByRole('article')
  await card.getByText('3 lines, 1 boot').waitFor()
  const headline = (await card.getByRole('heading', { level: 2 }).textContent()) ?? ''
  await card.getByText('valve opened').first().waitFor()

  await card.getByRole('link', { name: 'Plain text' }).click()
  await page.waitForURL(`**/${made.id}/log-summaries-plaintext?summary=*`)
  await page.getByText('Log summary of gw-0417-north', { exact: true }).waitFor()
  await page.getByText(`NORMAL: ${headline}`, { exact: true }).waitFor()
  await page.getByText('app: valve opened').waitFor()
  // The text is a page of the same tab.
  const tabs = page.getByRole('navigation', { name: 'Device', exact: true })
  const current = tabs.locator('[aria-current]')
  await expect.poll(() => current.allTextContents()).toEqual(['Log Summaries'])
  await tabs.getByRole('link', { name: 'System Logs' }).click()
  await expect.poll(() => current.allTextContents()).toEqual(['System Logs'])
})

it("§2: secure boot bundles: none is 'Not Found', an unknown one says so, and adding needs project:update", async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { body: made } = await call(hosts().api, createOrganization, {}, { as, body: { name: 'Hedgerow' } })
  const organizationId = made.public_id
  const body = { name: 'Gateways' }
  const { body: gateways } = await call(hosts().api, createOrganizationProject, { organizationId }, { as, body })
  const home = `${homeOf(gateways.id, organizationId)}/secure-boot`
  const page = await openAt(ines, home)
  await page.waitForURL(`**${home}/list`)
  await heading(page, 'Not Found').waitFor()
  await page.getByRole('link', { name: 'Add Bundle' }).click()
  await page.getByRole('heading', { name: 'Add Bundle', level: 1 }).waitFor()
  await page.goto(`${hosts().console}${home}/list/01HZX3V5K8Q2M4N6P7R9S0T1V2`)
  await heading(page, 'The Requested Resource Cannot Be Found').waitFor()

  const vera = await newUser(hosts())
  await join(hosts(), organizationId, vera, 'viewer')
  const theirs = await openAt(vera, `${home}/list/add`)
  await refused(theirs, 'project:update')
})

it('hardware models are added, edited, refused while in use, removed and restored in the settings of a project', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const models = async () => (await call(hosts().api, project, { projectId }, { as })).body.settings.hardware_models
  const page = await openAt(ines, `${homeOf(projectId)}/settings/general`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const typed = (name: string) => dialog.getByRole('textbox', { name, exact: true })

  await button('Add model').click()
  await typed('Id').fill('GW 1')
  await typed('Name').fill('Gateway with a very long name for the field under the orchard')
  await typed('Platform').fill('linux')
  await dialog.getByRole('combobox', { name: 'Client' }).click()
  await choose(page, 'SWUpdate')
  await dialog.getByRole('button', { name: 'Add model' }).click()
  await dialog.getByText('Use lower-case letters, digits, dots, dashes and underscores').waitFor()
  await typed('Id').fill('gw-1')
  await typed('Boards').fill('rev-a\nrev-b')
  await dialog.getByRole('button', { name: 'Add model' }).click()
  await page.getByText('SWUpdate, updates confirmed by sw_version within 1 h.', { exact: false }).waitFor()
  await expect.poll(() => models()).toMatchObject([{ id: 'gw-1', client: { kind: 'swupdate', boards: ['rev-a', 'rev-b'] } }])

  await button('Edit Gateway with a very long name for the field under the orchard').press('Enter')
  await typed('Name').fill('Gateway')
  await dialog.getByText("The client's word").click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText("SWUpdate, updates confirmed by the client's word.", { exact: false }).waitFor()
  await expect.poll(() => models()).toMatchObject([{ id: 'gw-1', name: 'Gateway', client: { confirm_by: 'client' } }])

  const body = { name: 'gw-0417', hardware_model: 'gw-1' }
  const { body: made } = await call(hosts().api, createDevice, { projectId }, { as, body })
  const removing = page.getByRole('alertdialog')
  await button('Remove Gateway').click()
  await removing.getByRole('button', { name: 'Remove model' }).click()
  await removing.getByText('gw-1 is used by 1 device and 0 releases').waitFor()
  const headers = { 'if-match': `"${made.revision}"` }
  await call(hosts().api, deleteDevice, { deviceId: made.id }, { as, headers })
  await removing.getByRole('button', { name: 'Remove model' }).click()
  await page.getByText('No models: devices of any model can be added.').waitFor()
  await expect.poll(() => models()).toEqual([])
  const notice = page.locator('[data-scope="toast"][data-part="root"]', { hasText: 'Gateway removed' })
  await notice.getByRole('button', { name: 'Undo' }).click()
  await button('Edit Gateway').waitFor()
  await expect.poll(() => models()).toMatchObject([{ id: 'gw-1', client: { confirm_by: 'client', boards: ['rev-a', 'rev-b'] } }])
})
