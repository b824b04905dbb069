import { expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { checkIn, enroll } from '../../contract/device/endpoints'
import { createDevice, device } from '../../contract/fleet/devices'
import { createSigningKey } from '../../contract/fleet/keys'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject, updateProject } from '../../contract/accounts/project-changes'
import { project } from '../../contract/accounts/projects'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { checkInBody, enrollBody } from '../support/devices'
import type { Page } from './support/browser'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, subscriber, type Visitor } from './support/hosts'
import { join } from './support/members'

const { hosts, open } = useConsole()

const home = (projectId: string) => `/organizations/none/projects/${projectId}`
const openAt = async (visitor: Visitor, path: string) => {
  const page = await (await open(visitor)).newPage()
  await page.goto(hosts().console + path)
  return page
}
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const addKey = async (as: string, projectId: string) => {
  const { publicKey } = await generateSigningKey('ed25519')
  const body = { name: 'release', algorithm: 'ed25519' as const, public_key_pem: pemOf(publicKey) }
  await call(hosts().api, createSigningKey, { projectId }, { as, body })
}
const heard = (as: string) => statusOf(hosts().api, checkIn, {}, { as, body: checkInBody() })
/** Searches for the token outside the page: in the URL, the history, and storage. */
const traces = (page: Page) =>
  page.evaluate(() => JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }]))

it('leads from adding a device to its whole device.json without pasting', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  await addKey(ines.token, projectId)
  const page = await openAt(ines, `${home(projectId)}/devices/list/add`)
  await field(page, 'Name').fill('gw-0417-north')
  await field(page, 'Hardware model').fill('gw-imx8m')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('link', { name: 'Config Generator' }).click()
  await page.waitForURL('**/devices/device-config-generator')
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('gw-0417-north')
  const token = await field(page, 'Device token').inputValue()
  expect(token).toMatch(/^dvc_/)
  expect(await traces(page)).not.toContain('dvc_')
  await page.getByRole('button', { name: 'Generate' }).click()
  await page.getByText(`"device_token": "${token}"`).waitFor()
  expect(await heard(token)).toBe(200)

  // After leaving the page it is dropped: the next visit starts with an empty form.
  await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
  await page.getByRole('link', { name: 'gw-0417-north' }).waitFor()
  await page.getByRole('link', { name: 'Config Generator' }).click()
  await page.waitForURL('**/devices/device-config-generator')
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('')
})

it('leads from adding a Zephyr device to its first poll, and refuses its polls once it runs our agent', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const { api } = hosts()
  const as = ines.token
  const { revision } = (await call(api, project, { projectId }, { as })).body
  const client = { kind: 'zephyr' as const }
  const hardware_models = [{ id: 'sensor', name: 'Sensor', platform: 'zephyr', slots: 'ab' as const, client }]
  const headers = { 'if-match': `"${revision}"` }
  await call(api, updateProject, { projectId }, { as, body: { settings: { hardware_models } }, headers })
  const page = await openAt(ines, `${home(projectId)}/devices/list/add`)
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
  const choice = (name: string) => page.getByRole('radio', { name, exact: true })
  await field(page, 'Name').fill('sensor-1')
  await page.getByRole('combobox', { name: 'Hardware model' }).waitFor()
  expect([await choice('hawkBit client').isChecked(), await choice('Short').isChecked()]).toEqual([true, true])
  await save()
  await page.getByText('A hawkBit client needs its controller id as the serial number, without / ? # %').waitFor()
  await field(page, 'Serial number').fill('nrf52840dk-0a1b')
  await save()
  const told = await page
    .getByText(/CONFIG_HAWKBIT_DDI_SECURITY_TOKEN/)
    .first()
    .textContent()
  const [, token = ''] = /"(dvs_\w{28})"/.exec(told ?? '') ?? []
  const poll = async () => {
    const authorization = `TargetToken ${token}`
    return (await fetch(`${api}/DEFAULT/controller/v1/nrf52840dk-0a1b`, { headers: { authorization } })).status
  }
  expect(await poll()).toBe(200)
  await expect.poll(() => page.getByRole('link', { name: 'Config Generator' }).count()).toBe(1)
  expect(await traces(page)).not.toContain('dvs_')

  await page.getByRole('link', { name: 'Open the device' }).click()
  await page.getByRole('button', { name: 'Ask for attributes' }).click()
  await page.getByText('Asked for attributes.', { exact: false }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Reboot' }).count()).toBe(0)
  for (const [chosen, expected] of [
    ['Teasel agent', 401],
    ['hawkBit client', 200],
  ] as const) {
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('radiogroup', { name: 'Client' }).getByText(chosen, { exact: true }).click()
    await save()
    await page.getByRole('heading', { name: 'sensor-1', exact: true }).waitFor()
    expect([chosen, await poll()]).toEqual([chosen, expected])
  }
})

it('says the limits of the enrollment token of a configuration: lower ones for an operator', async () => {
  const owner = await subscriber(hosts())
  const made = await call(hosts().api, createOrganization, {}, { as: owner.token, body: { name: 'Field' } })
  const organizationId = made.body.public_id
  const body = { name: 'Gateways' }
  const { id: projectId } = (await call(hosts().api, createOrganizationProject, { organizationId }, { as: owner.token, body }))
    .body
  await addKey(owner.token, projectId)
  const operator = await newUser(hosts())
  await join(hosts(), organizationId, operator, 'operator')
  const path = `/organizations/${organizationId}/projects/${projectId}/devices/device-config-generator`
  for (const [visitor, before, after] of [
    [owner, 'The token enrolls any number of devices for 365 days.', 'It enrolls any number of devices until'],
    [operator, 'With your role, the token enrolls up to 100 devices within 7 days.', 'It enrolls up to 100 devices until'],
  ] as const) {
    const page = await openAt(visitor, path)
    await page.getByText(before).waitFor()
    await field(page, 'Name').fill('Line 1')
    await field(page, 'Hardware model').fill('gw-imx8m')
    await page.getByRole('button', { name: 'Generate' }).click()
    await page.getByText(after, { exact: false }).waitFor()
  }
})

it('gives a device a new token that is shown once, and revokes the stolen one at once', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const fresh = { name: 'gw-0417-north', hardware_model: 'gw' }
  const { body: made } = await call(hosts().api, createDevice, { projectId }, { as: ines.token, body: fresh })
  expect(await heard(made.device_token)).toBe(200)
  const page = await openAt(ines, `${home(projectId)}/devices/list/${made.id}/details`)
  await page.getByRole('button', { name: 'Issue a new one' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The previous token stays valid for 24 hours', { exact: false }).waitFor()
  await dialog.getByText('Stolen').click()
  await dialog.getByText('All previous tokens of this device stop working at once.', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Issue token' }).click()
  const told = await dialog
    .getByText(/"device_token"/)
    .first()
    .textContent()
  const [, token = ''] = /"device_token": *"(dvc_\w+)"/.exec(told ?? '') ?? []
  expect([await heard(made.device_token), await heard(token)]).toEqual([401, 200])
  await dialog.getByRole('link', { name: 'Config Generator' }).click()
  await page.waitForURL('**/devices/device-config-generator')
  await expect.poll(() => field(page, 'Device token').inputValue()).toBe(token)
  await page.reload()
  await page.getByRole('heading', { name: 'Config Generator', level: 1 }).waitFor()
  expect(await page.content()).not.toContain(token)
})

it('rejects a device only after a confirmation that names it, and makes it pending again', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const enrollment = { name: 'Line 1', auto_accept: false }
  const as = ines.token
  const { body: group } = await call(hosts().api, createEnrollmentToken, { projectId }, { as, body: enrollment })
  const facts = enrollBody({ name: 'gw-0417-north', hardware_model: 'gw' })
  const { body: made } = await call(hosts().api, enroll, {}, { as: group.token, body: facts })
  const lifecycle = async () => (await call(hosts().api, device, { deviceId: made.device_id }, { as })).body.lifecycle
  const page = await openAt(ines, `${home(projectId)}/devices/list/${made.device_id}/update-events`)
  const question = page.getByRole('alertdialog', { name: 'Reject gw-0417-north?', exact: true })
  await page.getByRole('button', { name: 'Reject' }).click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  await expect.poll(() => lifecycle()).toBe('pending')
  await page.getByRole('button', { name: 'Reject' }).click()
  await question.getByRole('button', { name: 'Reject', exact: true }).click()
  await page.getByText('Rejected', { exact: true }).waitFor()
  expect(await heard(made.device_token)).toBe(403)
  await page.getByRole('button', { name: 'Make pending again' }).click()
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('button', { name: 'Check now' }).waitFor()
  expect([await lifecycle(), await heard(made.device_token)]).toEqual(['active', 200])
})

it('says when a device will get a command, and can change its polling interval there', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const fresh = { name: 'gw-0417-north', hardware_model: 'gw' }
  const { body: made } = await call(hosts().api, createDevice, { projectId }, { as: ines.token, body: fresh })
  await heard(made.device_token)
  const page = await openAt(ines, `${home(projectId)}/devices/list/${made.id}/details`)
  await page.getByText('from the project').waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText(/^Delivered at the next check-in, expected by \d\d:\d\d:\d\d$/).waitFor()
  await page.getByRole('button', { name: 'Check in more often' }).click()
  const dialog = page.getByRole('dialog', { name: 'How often gw-0417-north checks in' })
  await expect.poll(() => dialog.getByLabel('Polling interval').inputValue()).toBe('30')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('set for this device').waitFor()
  const { body } = await call(hosts().api, checkIn, {}, { as: made.device_token, body: checkInBody() })
  expect(body.polling_interval_s).toBe(30)
})

it('shows the age of the list of devices, and updates it within the refresh interval', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const as = ines.token
  const add = (name: string) => call(hosts().api, createDevice, { projectId }, { as, body: { name, hardware_model: 'gw' } })
  const { body: first } = await add('gw-0001')
  const page = await openAt(ines, `${home(projectId)}/devices/list`)
  await page.getByRole('link', { name: 'gw-0001' }).waitFor()
  await page
    .getByText(/^(Updated )?(now|\d+ s ago)$/)
    .first()
    .waitFor()

  // New data loads automatically, and at once on request.
  await add('gw-0002')
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('link', { name: 'gw-0002' }).waitFor()
  await add('gw-0003')
  await page.getByRole('link', { name: 'gw-0003' }).waitFor()

  // What is disabled in one place is disabled everywhere.
  await page.getByRole('link', { name: 'gw-0001' }).click()
  await page.getByText('Why is this device not updating?').waitFor()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByText('Off', { exact: true }).click()
  const decided = page.waitForResponse((answer) => answer.url().endsWith('/update_decision'))
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await decided
  await page.getByRole('heading', { name: 'gw-0001', exact: true }).waitFor()
  expect((await call(hosts().api, device, { deviceId: first.id }, { as })).body.updates_enabled).toBe(false)
})
