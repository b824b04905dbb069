import { afterAll, beforeAll, expect, it } from 'vitest'
import { createOrganization, organization, updateOrganization } from '../../contract/accounts/organization'
import { personalProjects, project } from '../../contract/accounts/projects'
import {
  createOrganizationProject,
  createPersonalProject,
  deleteProject,
  updateProject,
} from '../../contract/accounts/project-changes'
import { createTag, deleteTag, tags, updateTag } from '../../contract/fleet/tags'
import { projectAuditLog } from '../../contract/accounts/audit'
import { self, updateSelf } from '../../contract/accounts/users'
import { createTestApi, type TestApi } from '../support/api'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

it('answers who the caller is, and 401 without a session', async () => {
  const ines = await api.person({ email: 'ines@example.com' })
  expect((await api.call(self, {}, { as: ines })).body.data).toMatchObject({ id: ines.id, email: 'ines@example.com' })
  const outsider = await api.call(self, {})
  expect([outsider.status, outsider.error.code]).toEqual([401, 'unauthenticated'])
})

it('creates, reads, changes and deletes a project, each with its row of the audit log', async () => {
  const ines = await api.person()
  const made = await api.call(createPersonalProject, {}, { as: ines, body: { name: 'Orchard Gateways' } })
  expect(made.status).toBe(201)
  expect(made.headers.location).toBe(`/projects/${made.body.id}`)
  expect(made.headers.etag).toBe('"1"')
  const projectId = made.body.id
  expect((await api.call(personalProjects, {}, { as: ines })).body.projects).toEqual([made.body])
  const change = { as: ines, body: { name: 'Gateways', settings: { polling_interval_s: 60 } } }
  expect((await api.call(updateProject, { projectId }, change)).error.code).toBe('revision_required')
  const stale = await api.call(updateProject, { projectId }, { ...change, headers: { 'if-match': '"7"' } })
  expect([stale.status, stale.error.about]).toEqual([412, { current: made.body }])
  const updated = await api.call(updateProject, { projectId }, { ...change, headers: { 'if-match': '"1"' } })
  expect(updated.body).toMatchObject({ name: 'Gateways', revision: 2, settings: { polling_interval_s: 60 } })
  const log = await api.call(projectAuditLog, { projectId }, { as: ines })
  expect(log.body.entries.map(({ action }) => action)).toEqual(['project.settings_update', 'project.create'])
  expect(log.body.entries[0]?.changes.map(({ field }) => field)).toEqual(['name', 'settings'])
  expect(log.body.chain).toMatchObject({ verified: 'yes', head_sequence: 2 })
  const wrong = { as: ines, body: { confirm_name: 'x' }, headers: { 'if-match': '"2"' } }
  expect((await api.call(deleteProject, { projectId }, wrong)).error.details).toMatchObject([{ field: 'confirm_name' }])
  const gone = await api.call(deleteProject, { projectId }, { ...wrong, body: { confirm_name: 'Gateways' } })
  expect(gone.status).toBe(204)
  expect((await api.call(project, { projectId }, { as: ines })).status).toBe(404)
})

it('§3: a project of an organization has the id of the organization, and a personal project has none', async () => {
  const ines = await api.person()
  const { publicId: organizationId } = await api.organization(ines)
  const body = { name: 'Gateways', description: 'On the ridge' }
  const owned = (await api.call(createOrganizationProject, { organizationId }, { as: ines, body })).body
  const personal = (await api.call(createPersonalProject, {}, { as: ines, body })).body
  expect([owned.organization_id, 'organization_id' in personal]).toEqual([organizationId, false])
  for (const { id, name, description, created_at, updated_at } of [owned, personal]) {
    expect([typeof id, name, description]).toEqual(['string', 'Gateways', 'On the ridge'])
    for (const time of [created_at, updated_at]) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/)
  }
})

it('names the field of a duplicate name, in any letter case', async () => {
  const ines = await api.person()
  await api.call(createPersonalProject, {}, { as: ines, body: { name: 'Gateways' } })
  const twin = await api.call(createPersonalProject, {}, { as: ines, body: { name: 'GATEWAYS' } })
  expect([twin.status, twin.error.details]).toEqual([
    422,
    [{ field: 'name', code: 'taken', message: 'A project with this name exists already' }],
  ])
})

it('refuses more than the plan allows, and names the limit', async () => {
  const ines = await api.person({ plan: 'developer' })
  for (const name of ['a', 'b', 'c']) await api.call(createPersonalProject, {}, { as: ines, body: { name } })
  const fourth = await api.call(createPersonalProject, {}, { as: ines, body: { name: 'd' } })
  expect([fourth.status, fourth.error]).toMatchObject([
    402,
    { code: 'plan_limit', required_plan: 'production', about: { limit: 3, used: 3, plan: 'developer' } },
  ])
})

it('creates organizations and tags', async () => {
  const ines = await api.person()
  const made = await api.call(createOrganization, {}, { as: ines, body: { name: 'Orchard' } })
  expect(made.body).toMatchObject({ base_role: 'owner', member_count: 1, project_count: 0 })
  expect(made.headers.location).toBe(`/organizations/${made.body.public_id}`)
  const organizationId = made.body.public_id
  expect((await api.call(organization, { organizationId }, { as: ines })).body).toEqual(made.body)
  const settings = { require_release_approval: true }
  const changed = await api.call(
    updateOrganization,
    { organizationId },
    { as: ines, body: { settings }, headers: { 'if-match': '"1"' } },
  )
  expect(changed.body.settings.require_release_approval).toBe(true)
  const projectId = await api.project({ ownerId: ines.id })
  const tag = await api.call(createTag, { projectId }, { as: ines, body: { name: 'pilot', colour: 'moss' } })
  const tagId = tag.body.id
  await api.call(createTag, { projectId }, { as: ines, body: { name: 'beta', colour: 'sky' } })
  const first = await api.call(tags, { projectId }, { as: ines, query: { limit: 1 } })
  expect(first.body).toMatchObject({ tags: [{ name: 'beta' }], total: 2 })
  const cursor = first.body.next_cursor ?? ''
  const second = await api.call(tags, { projectId }, { as: ines, query: { limit: 1, cursor } })
  expect(second.body).toMatchObject({ tags: [{ name: 'pilot' }], next_cursor: null })
  const renamed = await api.call(updateTag, { tagId }, { as: ines, body: { name: 'pilots' }, headers: { 'if-match': '"1"' } })
  expect(renamed.body.name).toBe('pilots')
  expect((await api.call(deleteTag, { tagId }, { as: ines, headers: { 'if-match': '"2"' } })).status).toBe(204)
})

it('F-23: executes a repeated POST once, and refuses its key for another request', async () => {
  const ines = await api.person()
  const twice = { as: ines, body: { name: 'Once' }, headers: { 'idempotency-key': 'k1' } }
  const [first, second] = [await api.call(createPersonalProject, {}, twice), await api.call(createPersonalProject, {}, twice)]
  expect([second.status, second.body, second.headers.etag, second.headers.location]).toEqual([
    201,
    first.body,
    first.headers.etag,
    first.headers.location,
  ])
  const other = await api.call(createPersonalProject, {}, { ...twice, body: { name: 'Twice' } })
  expect([other.status, other.error.code]).toEqual([422, 'idempotency_mismatch'])
  expect((await api.call(personalProjects, {}, { as: ines })).body.projects).toHaveLength(1)
})

it('keeps fields that were not sent', async () => {
  const ines = await api.person({ name: 'Ines' })
  expect((await api.call(updateSelf, {}, { as: ines, body: {} })).body.full_name).toBe('Ines')
})
