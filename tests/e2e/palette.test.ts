import { expect, it } from 'vitest'
import { deviceCommands } from '../../contract/fleet/device-commands'
import { createDevice } from '../../contract/fleet/devices'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject, createPersonalProject } from '../../contract/accounts/project-changes'
import { createRelease } from '../../contract/updates/releases'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser } from './support/hosts'
import { join } from './support/members'

const { hosts, open } = useConsole()

const world = async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const organization = (await call(hosts().api, createOrganization, {}, { as, body: { name: 'Hedgerow' } })).body
  const organizationId = organization.public_id
  const project = (await call(hosts().api, createOrganizationProject, { organizationId }, { as, body: { name: 'Gateways' } }))
    .body
  const projectId = project.id
  const add = async (name: string) =>
    (await call(hosts().api, createDevice, { projectId }, { as, body: { name, hardware_model: 'gw' } })).body.id
  const deviceId = await add('gw-0433-ridge')
  await add('gw-0440-mill')
  const release = { name: 'Autumn', version: 20500, display_version: '2.5.0', type: 'file' as const, hardware_models: ['gw'] }
  await call(hosts().api, createRelease, { projectId }, { as, body: release })
  return { ines, organizationId, projectId, deviceId, projects: `${hosts().console}/organizations/${organizationId}/projects` }
}

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search or jump to' })
const box = (page: Page) => palette(page).getByRole('combobox')
const row = (page: Page, name: string | RegExp) => palette(page).getByRole('option', { name })
const lit = (page: Page) => palette(page).getByRole('option', { selected: true })

it('opens by Ctrl K and by its button, finds a device by part of its name and opens it with the keyboard alone', async () => {
  const { ines, projectId, projects } = await world()
  const page = await (await open(ines)).newPage()
  await page.goto(`${projects}/${projectId}/monitor?experimental=true`)
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await page.keyboard.press('Control+k')
  await box(page).waitFor()
  await page.keyboard.type('0433')
  await row(page, /gw-0433-ridge/).waitFor()
  await palette(page).getByRole('group', { name: 'Actions on gw-0433-ridge' }).waitFor()
  await expect.poll(() => lit(page).textContent()).toContain('gw-0433-ridge')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => lit(page).textContent()).toContain('Why is this device not updating?')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/update-events?experimental=true')
  await page.getByRole('heading', { name: 'gw-0433-ridge' }).waitFor()
  await palette(page).waitFor({ state: 'detached' })

  // The previous page comes first the next time, the current one is left out.
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Monitor' }).click()
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await page.getByRole('button', { name: 'Search or jump to' }).click()
  await palette(page)
    .getByRole('group', { name: 'Recent' })
    .getByRole('option', { name: /gw-0433-ridge/ })
    .waitFor()
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })
})

it('finds releases, pages, actions and projects, and says Not Found otherwise', async () => {
  const { ines, projectId, projects } = await world()
  const page = await (await open(ines)).newPage()
  await page.goto(`${projects}/${projectId}/monitor`)
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await page.keyboard.press('Control+k')
  const type = (text: string) => box(page).fill(text)
  await type('2.5.0')
  await row(page, /Autumn 2\.5\.0/).waitFor()
  await type('gatew')
  await palette(page)
    .getByRole('group', { name: 'Projects' })
    .getByRole('option', { name: /Gateways/ })
    .waitFor()
  await type('no such thing')
  await palette(page).getByText('Not Found').waitFor()
  await type('dark')
  await row(page, 'Dark theme').click()
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
  await page.keyboard.press('Control+k')
  await type('refresh 10')
  await row(page, 'Refresh interval: Every 10 seconds').click()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('refresh_interval'))).toBe('10s')
  await page.keyboard.press('Control+k')
  await type('refresh')
  await row(page, /^Refresh interval: Every 10 seconds.*chosen/).waitFor()
  await type('add project')
  await row(page, 'Add Project').click()
  await page.waitForURL('**/projects/add')
  // The page focuses its first field when it has loaded.
  await page.getByRole('heading', { name: 'Add Project' }).waitFor()
  await expect
    .poll(() =>
      page
        .getByLabel('Name')
        .first()
        .evaluate((field) => field === document.activeElement),
    )
    .toBe(true)
  await page.keyboard.press('Control+k')
  await type('sign out')
  await row(page, 'Sign Out').click()
  await page.waitForURL(`${hosts().signIn}/signin**`)
  await page.goto(hosts().console)
  await page.waitForURL(`${hosts().signIn}/signin**`)
})

it('finds a device of another project from the list of projects and from within a project, and names the project', async () => {
  const { ines, projectId, projects } = await world()
  const as = ines.token
  const other = (await call(hosts().api, createPersonalProject, {}, { as, body: { name: 'Greenhouse' } })).body
  await call(hosts().api, createDevice, { projectId: other.id }, { as, body: { name: 'vent-0433', hardware_model: 'gw' } })
  const page = await (await open(ines)).newPage()
  await page.goto(projects)
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
  await page.keyboard.press('Control+k')
  await box(page).fill('0433')
  const devices = palette(page).getByRole('group', { name: 'Devices', exact: true })
  await devices.getByRole('option', { name: /gw-0433-ridge.*Gateways/ }).waitFor()
  await devices.getByRole('option', { name: /vent-0433.*Greenhouse/ }).waitFor()
  await box(page).fill('greenh')
  await palette(page)
    .getByRole('group', { name: 'Projects' })
    .getByRole('option', { name: /Greenhouse/ })
    .click()
  await page.waitForURL(`**/organizations/none/projects/${other.id}/monitor`)

  await page.goto(`${projects}/${projectId}/monitor`)
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await page.keyboard.press('Control+k')
  await box(page).fill('0433')
  const elsewhere = palette(page).getByRole('group', { name: 'Devices in other projects' })
  await elsewhere.getByRole('option', { name: /vent-0433/ }).click()
  await page.waitForURL(`**/organizations/none/projects/${other.id}/devices/list/*/update-events`)
  await page.getByRole('heading', { name: 'vent-0433' }).waitFor()
})

it('sends the first device found a command, and begins a pause of its updates', async () => {
  const { ines, projectId, deviceId, projects } = await world()
  const page = await (await open(ines)).newPage()
  await page.goto(`${projects}/${projectId}/monitor`)
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await page.keyboard.press('Control+k')
  await box(page).fill('0433')
  const actions = palette(page).getByRole('group', { name: 'Actions on gw-0433-ridge' })
  await actions.getByRole('option', { name: 'Check now' }).click()
  await palette(page).waitFor({ state: 'detached' })
  await page.getByText('Delivered at the first check-in', { exact: false }).waitFor()
  const sent = await call(hosts().api, deviceCommands, { deviceId }, { as: ines.token })
  expect(sent.body.commands.map(({ command, state }) => [command, state])).toEqual([['check_now', 'queued']])

  await page.keyboard.press('Control+k')
  await box(page).fill('0433')
  await actions.getByRole('option', { name: 'Pause updates…' }).click()
  const pause = page.getByRole('dialog', { name: 'Pause updates of gw-0433-ridge' })
  await pause.getByRole('button', { name: 'Cancel' }).click()
  await pause.waitFor({ state: 'detached' })
  await expect.poll(() => new URL(page.url()).search).toBe('')
  await page.goto(`${page.url()}?change=pause`)
  await pause.getByRole('button', { name: 'Pause updates' }).click()
  await page
    .getByText(/^Updates paused until/)
    .first()
    .waitFor()
  await expect.poll(() => new URL(page.url()).search).toBe('')
  await expect.poll(() => pause.count()).toBe(0)
})

it('offers a viewer nothing that needs more than viewing', async () => {
  const { organizationId, projectId, projects } = await world()
  const vera = await newUser(hosts())
  await join(hosts(), organizationId, vera, 'viewer')
  const page = await (await open(vera)).newPage()
  await page.goto(`${projects}/${projectId}/monitor`)
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await page.keyboard.press('Control+k')
  await palette(page).getByRole('option', { name: 'Devices', exact: true }).waitFor()
  for (const name of ['Add Project', 'Add Release', 'Config Generator', 'General'])
    expect(await row(page, name).count(), name).toBe(0)
  await row(page, 'Sign Out').waitFor()
  await box(page).fill('0433')
  await row(page, 'Open System Logs').waitFor()
  for (const name of ['Check now', 'Pause updates…']) expect(await row(page, name).count(), name).toBe(0)
})

it('opens with the page when Ctrl K was pressed while the page was loading', async () => {
  const { ines, organizationId, projects } = await world()
  const context = await open(ines)
  const page = await context.newPage()
  const held: (() => void)[] = []
  await page.route(`${hosts().api}/organizations/${organizationId}/projects`, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve))
    await route.continue()
  })
  await page.goto(projects)
  await expect.poll(() => held.length).toBeGreaterThan(0)
  await page.keyboard.press('Control+k')
  await expect.poll(() => palette(page).count()).toBe(0)
  for (const letGo of held) letGo()
  await box(page).waitFor()
  await row(page, 'Add Project').waitFor()
})
