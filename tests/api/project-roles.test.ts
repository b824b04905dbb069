import { afterAll, beforeAll, expect, it } from 'vitest'
import { organizationAuditLog } from '../../contract/accounts/audit'
import { member, members, updateMember } from '../../contract/accounts/members'
import { leaveOrganization } from '../../contract/accounts/organization'
import { memberPermissions } from '../../contract/accounts/organizations'
import { flatten } from '../../contract/core/permissions'
import type { BodyOf } from '../../contract/core/endpoint'
import { deleteProject, updateProject } from '../../contract/accounts/project-changes'
import { organizationProjects, project } from '../../contract/accounts/projects'
import type { ProjectRole } from '../../contract/core/roles'
import { createTag } from '../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const place = async () => {
  const founder = await api.person()
  const { id, publicId: organizationId } = await api.organization(founder)
  const one = await api.project({ organizationId: id }, 'One')
  const two = await api.project({ organizationId: id }, 'Two')
  const give = (as: Person, memberId: string, role: ProjectRole | null, projectId = one) =>
    api.call(updateMember, { organizationId, memberId }, { as, body: { project_roles: [{ project_id: projectId, role }] } })
  const tag = (as: Person, projectId: string, name: string) =>
    api.call(createTag, { projectId }, { as, body: { name, colour: 'sky' } })
  return { founder, id, organizationId, one, two, give, tag }
}

it('a change of a role, and its undo, is refused when somebody else has changed that role since', async () => {
  const { founder, id, organizationId, one } = await place()
  const viewer = await api.member(id, 'viewer')
  const params = { organizationId, memberId: viewer.id }
  const change = async (body: BodyOf<typeof updateMember>) => {
    const { status, error } = await api.call(updateMember, params, { as: founder, body })
    return status === 200 ? 200 : [status, error.code, error.message]
  }
  const because = (role: string) => [409, 'role_changed', `The role was changed in the meantime: it is ${role} now`]
  expect(await change({ base_role: 'operator', expected_base_role: 'viewer' })).toBe(200)
  expect(await change({ base_role: 'billing' })).toBe(200)
  expect(await change({ base_role: 'viewer', expected_base_role: 'operator' })).toEqual(because('billing'))

  const inOne = (role: ProjectRole | null, expected_role: ProjectRole | null) =>
    change({ project_roles: [{ project_id: one, role, expected_role }] })
  expect(await inOne('operator', null)).toBe(200)
  expect(await inOne('viewer', null)).toEqual(because('operator'))
  expect(await inOne(null, 'operator')).toBe(200)
  expect(await inOne('viewer', 'operator')).toEqual(because('that of the organization'))
  const { body } = await api.call(member, params, { as: founder })
  expect([body.base_role, body.project_roles]).toEqual(['billing', []])
})

it('a role in one project replaces the role of the organization there, from the next request, until it is removed', async () => {
  const { founder, id, organizationId, one, two, give, tag } = await place()
  const viewer = await api.member(id, 'viewer')
  expect((await tag(viewer, one, 'a')).status).toBe(403)
  const given = await give(founder, viewer.id, 'maintainer')
  expect(given.body.project_roles).toEqual([{ project_id: one, project_name: 'One', role: 'maintainer' }])
  expect((await tag(viewer, one, 'a')).status).toBe(201)
  expect((await tag(viewer, two, 'a')).status).toBe(403)
  const mine = { organizationId, memberId: 'self' }
  const inside = (await api.call(memberPermissions, mine, { as: viewer, query: { project_id: one } })).body
  expect([inside.baseRole, flatten(inside.permissions)]).toEqual([
    'maintainer',
    expect.arrayContaining(['project:manage_releases']),
  ])
  const outside = (await api.call(memberPermissions, mine, { as: viewer })).body
  expect([outside.baseRole, flatten(outside.permissions)]).toEqual(['viewer', expect.not.arrayContaining(['project:update'])])
  // Another change of the same role, and the removal.
  expect((await give(founder, viewer.id, 'operator')).body.project_roles).toMatchObject([{ role: 'operator' }])
  const update = { as: viewer, body: { name: 'x' }, headers: { 'if-match': '"1"' } }
  expect((await api.call(updateProject, { projectId: one }, update)).error.required_permission).toBe('project:update')
  expect((await give(founder, viewer.id, null)).body.project_roles).toEqual([])
  expect((await tag(viewer, one, 'b')).status).toBe(403)
  const { entries } = (
    await api.call(organizationAuditLog, { organizationId }, { as: founder, query: { action: 'member.role_change' } })
  ).body
  const role = (name: string) => [{ project_id: one, project_name: 'One', role: name }]
  expect(entries.map(({ changes }) => changes)).toEqual([
    [{ field: 'project_roles', before: role('operator'), after: [] }],
    [{ field: 'project_roles', before: role('maintainer'), after: role('operator') }],
    [{ field: 'project_roles', before: [], after: role('maintainer') }],
  ])
})

it('a role in a project can take rights away, and gives a member without projects one of them', async () => {
  const { founder, id, organizationId, one, two, give, tag } = await place()
  const [developer, billing] = [await api.member(id, 'developer'), await api.member(id, 'billing')]
  await give(founder, developer.id, 'viewer')
  expect([(await tag(developer, one, 'a')).status, (await tag(developer, two, 'a')).status]).toEqual([403, 201])
  expect((await api.call(project, { projectId: one }, { as: billing })).status).toBe(403)
  // What a role may not view is not listed either, nor named beside the members.
  const listed = async () => {
    const { body } = await api.call(organizationProjects, { organizationId }, { as: billing })
    return body.projects.map((each) => each.id)
  }
  const named = async (as: typeof billing) => {
    const { body } = await api.call(members, { organizationId }, { as })
    return body.members.flatMap(({ project_roles: roles }) => roles.map((role) => role.project_id))
  }
  expect([await listed(), await named(billing), await named(founder)]).toEqual([[], [], [one]])
  await give(founder, billing.id, 'viewer')
  expect([await listed(), await named(billing)]).toEqual([[one], [one, one]])
  expect((await api.call(project, { projectId: one }, { as: billing })).status).toBe(200)
  expect((await api.call(project, { projectId: two }, { as: billing })).status).toBe(403)
})

it('T-06: nobody changes their own role in a project, or that of somebody above them; owners and admins have none', async () => {
  const { founder, id, organizationId, one, two, give } = await place()
  const [admin, developer] = [await api.member(id, 'admin'), await api.member(id, 'developer')]
  expect((await give(developer, developer.id, 'maintainer')).error.required_permission).toBe('organization:manage_members')
  expect((await give(admin, 'self', 'viewer')).error.code).toBe('own_role')
  expect((await give(admin, founder.id, 'viewer')).error.code).toBe('role_above_own')
  expect((await give(founder, admin.id, 'viewer')).error.code).toBe('has_every_project')
  const elsewhere = await api.project({ ownerId: founder.id })
  expect((await give(founder, developer.id, 'viewer', elsewhere)).error.details).toMatchObject([{ code: 'unknown' }])
  // A later admin keeps the row without effect; after the change back it counts again.
  await give(founder, developer.id, 'viewer')
  const params = { organizationId, memberId: developer.id }
  const base = (role: 'admin' | 'developer') => api.call(updateMember, params, { as: founder, body: { base_role: role } })
  const rename = async (name: string) => {
    const { revision } = (await api.call(project, { projectId: one }, { as: founder })).body
    const asked = { as: developer, body: { name }, headers: { 'if-match': `"${revision}"` } }
    return (await api.call(updateProject, { projectId: one }, asked)).status
  }
  expect(await rename('First')).toBe(403)
  await base('admin')
  expect(await rename('First')).toBe(200)
  await base('developer')
  expect(await rename('Second')).toBe(403)
  expect(two).not.toBe(one)
})

it('a role in a project ends with the membership and with the project', async () => {
  const { founder, id, organizationId, one, two, give, tag } = await place()
  const viewer = await api.member(id, 'viewer')
  await give(founder, viewer.id, 'maintainer')
  await give(founder, viewer.id, 'maintainer', two)
  const gone = { as: founder, body: { confirm_name: 'Two' }, headers: { 'if-match': '"1"' } }
  expect((await api.call(deleteProject, { projectId: two }, gone)).status).toBe(204)
  const read = () => api.call(member, { organizationId, memberId: viewer.id }, { as: founder })
  expect((await read()).body.project_roles).toMatchObject([{ project_id: one }])
  expect((await api.call(leaveOrganization, { organizationId }, { as: viewer })).status).toBe(204)
  expect((await tag(viewer, one, 'a')).status).toBe(404)
})
