import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Device } from '../../../contract/fleet/devices'
import type { Project } from '../../../contract/accounts/projects'
import type { SavedView } from '../../../contract/fleet/saved-views'
import { PollingDialog } from '../../../src/features/devices/actions/polling-dialog'
import { SaveViewDialog } from '../../../src/features/devices/list/save-view-dialog'
import { openShared } from './shared-object'

const projectId = '01K0000000000000000000PRJ1'
const save = (label = 'Save') => page.getByRole('button', { name: label, exact: true }).click()

it('a save of the polling interval of a device shows the interval that another person has set meanwhile', async () => {
  const device = {
    id: '01K0000000000000000000DEV1',
    project_id: projectId,
    revision: 2,
    name: 'gw-1',
    polling_interval_s: 60,
    configured_polling_interval_s: null,
  } as unknown as Device // The fields that the dialog reads.
  const project = { settings: { polling_interval_s: 300 } } as Project // The field that the dialog reads.
  const { bodies, change, show } = openShared(device, (shown) => <PollingDialog device={shown} onClose={() => {}} />, {
    cached: [[['project', projectId], project]],
  })
  await page.getByRole('textbox', { name: 'Polling interval' }).fill('120')
  change({ polling_interval_s: 3600 })
  show()
  await save()
  await expect.element(page.getByRole('row', { name: 'Polling interval 1 min 1 h 2 min' })).toBeVisible()
  expect(bodies).toEqual([])
  await save('Save my changes')
  await expect.poll(() => bodies).toEqual([{ polling_interval_s: 120 }])
})

const view = {
  id: '01K0000000000000000000VEW1',
  project_id: projectId,
  revision: 2,
  name: 'North',
  shared: false,
} as unknown as SavedView // The fields that the dialog reads.
const shown = { query: '', columns: [], dense: false }

it('a saved view that is renamed stays shared when another person has shared it meanwhile', async () => {
  const { bodies, change, show } = openShared(view, (current) => (
    <SaveViewDialog projectId={projectId} view={current} shown={shown} onSaved={() => {}} onClose={() => {}} />
  ))
  await page.getByRole('textbox', { name: 'Name' }).fill('North fields')
  change({ shared: true })
  show()
  await save()
  await expect.element(page.getByRole('row', { name: 'Shared no yes not changed' })).toBeVisible()
  await save('Save again')
  await expect.poll(() => bodies).toEqual([{ name: 'North fields' }])
})
