import { afterAll, beforeAll, expect, it } from 'vitest'
import * as contract from '../../../contract/fleet/saved-views'
import type { NewSavedView } from '../../../contract/fleet/saved-views'
import { createTag, updateTag } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'

let api: TestApi
let ann: Person
let projectId: string

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
})
afterAll(() => api.close())

const view = (changes: Partial<NewSavedView> = {}): NewSavedView => ({
  name: 'Roof',
  query: 'tag=roof&sort=-version',
  columns: [
    { name: 'health', width: 120 },
    { name: 'version', width: null },
  ],
  dense: true,
  shared: false,
  ...changes,
})
const create = (as: Person, changes: Partial<NewSavedView> = {}) =>
  api.call(contract.createSavedView, { projectId }, { as, body: view(changes) })
const namesOf = async (as: Person) => {
  const { body } = await api.call(contract.savedViews, { projectId }, { as })
  return body.saved_views.map(({ name }) => name)
}
const change = (as: Person, { id, revision }: { id: string; revision: number }, body: Partial<NewSavedView>) =>
  api.call(contract.updateSavedView, { savedViewId: id }, { as, body, headers: { 'if-match': `"${revision}"` } })

it('keeps own views to their maker and shows shared ones to all people of the project', async () => {
  const vera = await api.guest(projectId, 'viewer')
  const { body: own, status } = await create(ann)
  expect([status, own.owner.id, own.columns]).toEqual([201, ann.id, view().columns])
  await create(ann, { name: 'all shared', shared: true })
  expect(await namesOf(ann)).toEqual(['all shared', 'Roof'])
  expect(await namesOf(vera)).toEqual(['all shared'])
  expect((await change(ann, own, { shared: true, name: 'Roofs' })).body).toMatchObject({ name: 'Roofs', revision: 2 })
  expect(await namesOf(vera)).toEqual(['all shared', 'Roofs'])
  const taken = await create(ann, { name: 'ROOFS' })
  expect([taken.status, taken.error.details[0]?.field]).toEqual([422, 'name'])
  expect((await create(vera, { name: 'roofs' })).status).toBe(201)
})

it('lets a shared view be changed by its maker and by those who manage devices, an own one by its maker alone', async () => {
  const [vera, olga] = [await api.guest(projectId, 'viewer'), await api.guest(projectId, 'operator')]
  const { body: shared } = await create(ann, { name: 'Shared', shared: true })
  const refused = await change(vera, shared, { name: 'Mine' })
  expect([refused.status, refused.error.required_permission]).toEqual([403, 'project:manage_devices'])
  expect((await change(olga, shared, { name: 'Ours' })).status).toBe(200)
  expect((await change(ann, shared, { name: 'Stale' })).status).toBe(412)
  const { body: own } = await create(vera, { name: 'Own' })
  expect((await change(olga, own, { name: 'Taken' })).status).toBe(404)
  expect((await api.call(contract.deleteSavedView, { savedViewId: own.id }, { as: olga })).status).toBe(404)
  expect((await api.call(contract.deleteSavedView, { savedViewId: own.id }, { as: vera })).status).toBe(204)
  expect((await api.call(contract.deleteSavedView, { savedViewId: shared.id }, { as: olga })).status).toBe(204)
})

it('refuses unknown and repeated columns, widths out of range, and more views than a person may have', async () => {
  const max = await api.guest(projectId, 'viewer')
  const bad = (columns: unknown) => create(max, { columns: columns as NewSavedView['columns'] })
  expect((await bad([{ name: 'colour', width: null }])).status).toBe(422)
  expect((await bad([{ name: 'health', width: 5 }])).status).toBe(422)
  const twice = [
    { name: 'health', width: null },
    { name: 'health', width: 60 },
  ]
  expect((await bad(twice)).status).toBe(422)
  for (let n = 0; n < contract.maxSavedViews; n++) expect((await create(max, { name: `View ${n}` })).status).toBe(201)
  const more = await create(max, { name: 'One more' })
  expect([more.status, more.error.code]).toEqual([409, 'too_many_views'])
})

it('a view shows a renamed tag under its new name, and keeps the rest of its query', async () => {
  const ida = await api.guest(projectId, 'operator')
  const { body: own } = await create(ida, { name: 'Gardens', query: 'q=tag%3Dgarden&tag=roof&tag=garden&sort=-version' })
  const body = { name: 'garden', colour: 'moss' as const }
  const { body: tag } = await api.call(createTag, { projectId }, { as: ann, body })
  const headers = { 'if-match': `"${tag.revision}"` }
  const renamed = await api.call(updateTag, { tagId: tag.id }, { as: ann, body: { name: 'garden-2' }, headers })
  expect(renamed.status).toBe(200)
  const { saved_views } = (await api.call(contract.savedViews, { projectId }, { as: ida })).body
  const { query, revision } = saved_views.find(({ id }) => id === own.id) ?? own
  expect([query, revision]).toEqual(['q=tag%3Dgarden&tag=roof&tag=garden-2&sort=-version', 2])
})
