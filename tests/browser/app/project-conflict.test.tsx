import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { standardThresholds } from '../../../contract/fleet/health'
import { standardClient } from '../../../contract/ddi/model-client'
import type { Project } from '../../../contract/accounts/projects'
import ProjectSettingsPage from '../../../src/features/settings/project-settings-page'
import { openShared } from './shared-object'

const id = '01K0000000000000000000PRJ1'
const gateway = { id: 'gw', name: 'Gateway', platform: 'linux', slots: 'single' as const, client: standardClient }
const project = {
  id,
  revision: 4,
  name: 'Orchard',
  description: '',
  counts: { devices: 2, devices_online: 0, devices_attention: 0, releases: 1, open_rollouts: 0 },
  settings: {
    polling_interval_s: 300,
    auto_accept_devices: false,
    max_concurrent_updates: 10,
    device_failure_threshold: 3,
    quarantine_s: 600,
    update_timeout_s: 900,
    require_approval: false,
    health_thresholds: standardThresholds,
    hardware_models: [gateway],
  },
} as unknown as Project // The fields that the page reads.
const pattern = '/organizations/$organizationId/projects/$projectId/settings/general'

/** The settings of a personal project for its owner. */
const open = () =>
  openShared(project, () => <ProjectSettingsPage />, {
    merge: (current, { settings, ...body }: Partial<Project>) => ({
      ...current,
      ...body,
      settings: { ...current.settings, ...settings },
    }),
    cached: [
      [['project', id], project],
      [['permissions', null, id], { grants: null, baseRole: null }],
      [['access-tokens', id], [{ name: 'ci', state: 'active' }]],
    ],
    at: { pattern, path: pattern.replace('$organizationId', 'none').replace('$projectId', id) },
  })
const box = (name: string) => page.getByRole('textbox', { name, exact: true })
const press = (label: string) => page.getByRole('button', { name: label, exact: true }).click()

it('a stale save of project settings shows what another person changed and keeps what was typed and what they set', async () => {
  const { bodies, change, stored } = open()
  await box('Description').fill('Fields and orchards')
  change({ settings: { ...project.settings, require_approval: true } })
  await press('Save')
  await expect.element(page.getByRole('row', { name: 'Rollouts need approval no yes not changed' })).toBeVisible()
  await expect.element(box('Description')).toHaveValue('Fields and orchards')
  await press('Save again')
  await expect.poll(() => bodies).toEqual([{ description: 'Fields and orchards' }])
  await expect.element(page.getByRole('switch', { name: 'Rollouts need approval by a second person' })).toBeChecked()
  await box('Name').fill('Orchard South')
  await press('Save')
  await expect.poll(() => bodies.length).toBe(2)
  expect(stored()).toMatchObject({ name: 'Orchard South', settings: { require_approval: true } })
})

it('a hardware model is added, and the settings are saved, after another person has changed other parts of the project', async () => {
  const { bodies, change, stored } = open()
  await expect.element(box('Name')).toBeVisible()
  const camera = { ...gateway, id: 'cam', name: 'Camera' }
  change({ settings: { ...project.settings, hardware_models: [gateway, camera] } })
  await press('Add model')
  await box('Id').fill('sens')
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('Sensor')
  await box('Platform').fill('zephyr')
  await page.getByRole('dialog').getByRole('button', { name: 'Add model' }).click()
  await expect.poll(() => stored().settings.hardware_models.map((model) => model.id)).toEqual(['gw', 'cam', 'sens'])
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  await box('Name').fill('Orchard South')
  await press('Save')
  await expect.poll(() => bodies.at(-1)).toEqual({ name: 'Orchard South' })
})

it('a changed hardware model that another person has changed too shows both values before it is saved', async () => {
  const { bodies, change } = open()
  await press('Edit Gateway')
  await box('Platform').fill('nxp-hab')
  change({ settings: { ...project.settings, hardware_models: [{ ...gateway, platform: 'esp32' }] } })
  await press('Save')
  await expect.element(page.getByRole('row', { name: 'Platform linux esp32 nxp-hab' })).toBeVisible()
  await press('Save my changes')
  await expect.poll(() => bodies).toMatchObject([{ settings: { hardware_models: [{ id: 'gw', platform: 'nxp-hab' }] } }])
})

it('a project that was changed meanwhile is deleted at the second try, for which its typed name stays', async () => {
  const { bodies, change } = open()
  await press('Delete project')
  const dialog = page.getByRole('alertdialog')
  const typed = dialog.getByRole('textbox', { name: 'Type Orchard to confirm' })
  await typed.fill('Orchard')
  change({ counts: { ...project.counts, devices: 3, open_rollouts: 1 } })
  await dialog.getByRole('button', { name: 'Delete project' }).click()
  await expect.element(dialog.getByRole('alert')).toHaveTextContent('This was changed in the meantime')
  const told =
    '3 devices and 1 release are deleted too. 1 open rollout stops where it is. 1 access token stops working at once: ci.'
  await expect.element(dialog.getByText(told, { exact: false })).toBeVisible()
  await expect.element(typed).toHaveValue('Orchard')
  await dialog.getByRole('button', { name: 'Delete project' }).click()
  await expect.poll(() => bodies).toEqual([{ confirm_name: 'Orchard' }])
})

it('a hardware model is removed at the second try after another person has added one, which stays', async () => {
  const { bodies, change } = open()
  await press('Remove Gateway')
  const camera = { ...gateway, id: 'cam', name: 'Camera' }
  change({ settings: { ...project.settings, hardware_models: [gateway, camera] } })
  await press('Remove model')
  await expect.element(page.getByText('This was changed in the meantime')).toBeVisible()
  await press('Remove model')
  await expect.poll(() => bodies).toMatchObject([{ settings: { hardware_models: [{ id: 'cam' }] } }])
})
