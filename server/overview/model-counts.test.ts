import { afterAll, beforeAll, expect, it } from 'vitest'
import { modelCounts } from '../../contract/fleet/model-counts'
import { updateProject } from '../../contract/accounts/project-changes'
import { project } from '../../contract/accounts/projects'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { fleet } from '../../tests/support/fleet'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

it('models are those of the project and of its devices, those of the most devices first', async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const { add } = fleet(api, projectId)
  const counted = async () => (await api.call(modelCounts, { projectId }, { as: ines })).body.hardware_models
  expect(await counted()).toEqual([])
  await add({ count: 1, models: ['cam'], trustedKeys: [] })
  await add({ count: 3, models: ['gw'], trustedKeys: [] })
  const hardware_models = [
    { id: 'cam', name: 'Camera', platform: 'esp32', slots: 'single' as const },
    { id: 'new', name: 'new', platform: 'x', slots: 'ab' as const },
  ]
  const headers = { 'if-match': `"${(await api.call(project, { projectId }, { as: ines })).body.revision}"` }
  const changed = await api.call(updateProject, { projectId }, { as: ines, headers, body: { settings: { hardware_models } } })
  expect(changed.status).toBe(200)
  expect(await counted()).toEqual([
    { id: 'gw', name: null, devices: 3 },
    { id: 'cam', name: 'Camera', devices: 1 },
    { id: 'new', name: 'new', devices: 0 },
  ])
})
