import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { projectMember, projectMembers, removeProjectMember, updateProjectMember } from '../../contract/accounts/guests'
import {
  acceptInvite,
  createProjectInvites,
  projectInvites,
  resendProjectInvite,
  revokeProjectInvite,
} from '../../contract/accounts/invites'
import { personalProjects, project as projectEndpoint } from '../../contract/accounts/projects'
import { updateProject } from '../../contract/accounts/project-changes'
import { createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'

let api: TestApi
let host: Person
let place: { projectId: string }
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())
beforeEach(async () => {
  host = await api.person({ name: 'Ines Quist' })
  place = { projectId: await api.project({ ownerId: host.id }, 'Bench') }
})

const tokenOf = (url = '') => url.split('/').at(-1) ?? ''

it('a person invited into a personal project is a guest there, with a guest role, and finds the project', async () => {
  const mara = await api.person({ name: 'Mara Feldt' })
  const body = { emails: [mara.email], base_role: 'operator' as const }
  const { body: sent } = await api.call(createProjectInvites, place, { as: host, body })
  const joined = await api.call(acceptInvite, { inviteToken: tokenOf(sent.invites[0]?.accept_url) }, { as: mara })
  expect(joined.body).toEqual({ organization_id: null, project_id: place.projectId })
  const { body: seen } = await api.call(personalProjects, {}, { as: mara })
  expect(seen.projects.map(({ id }) => id)).toEqual([place.projectId])
  const { body: list } = await api.call(projectMembers, place, { as: mara })
  expect(list.members.map(({ user, base_role }) => [user.name, base_role])).toEqual([
    ['Ines Quist', 'owner'],
    ['Mara Feldt', 'operator'],
  ])
  expect(list.members[1]?.invited_by).toEqual({ id: host.id, name: 'Ines Quist' })
  expect((await api.call(projectMembers, place, { as: host, query: { q: 'mara' } })).body).toMatchObject({ total: 1 })
})

it('a new role and a removal take effect from the next call', async () => {
  const guest = await api.guest(place.projectId, 'viewer')
  const change = { as: guest, body: { name: 'Renamed' }, headers: { 'if-match': '"1"' } }
  expect((await api.call(updateProject, place, change)).error.required_permission).toBe('project:update')
  const params = { ...place, memberId: guest.id }
  const raised = await api.call(updateProjectMember, params, { as: host, body: { base_role: 'maintainer' } })
  expect(raised.body.base_role).toBe('maintainer')
  const late = { base_role: 'operator' as const, expected_base_role: 'viewer' as const }
  const refused = await api.call(updateProjectMember, params, { as: host, body: late })
  expect([refused.status, refused.error.code]).toEqual([409, 'role_changed'])
  expect((await api.call(updateProject, place, change)).status).toBe(200)
  expect((await api.call(removeProjectMember, params, { as: host })).status).toBe(204)
  expect((await api.call(projectEndpoint, place, { as: guest })).status).toBe(404)
  expect((await api.call(projectMember, params, { as: host })).status).toBe(404)
})

it('guests can manage no members but can leave; the owner cannot', async () => {
  const [guest, other] = [await api.guest(place.projectId, 'maintainer'), await api.guest(place.projectId, 'viewer')]
  const asked = { as: guest, body: { emails: ['x@example.com'], base_role: 'viewer' as const } }
  expect((await api.call(createProjectInvites, place, asked)).error.required_permission).toBe('project:manage_members')
  const away = await api.call(removeProjectMember, { ...place, memberId: other.id }, { as: guest })
  expect([away.status, away.error.required_permission]).toEqual([403, 'project:manage_members'])
  expect((await api.call(removeProjectMember, { ...place, memberId: 'self' }, { as: guest })).status).toBe(204)
  expect((await api.call(projectEndpoint, place, { as: guest })).status).toBe(404)
  for (const memberId of ['self', host.id]) {
    const refused = await api.call(removeProjectMember, { ...place, memberId }, { as: host })
    expect([refused.status, refused.error.code]).toEqual([409, 'last_owner'])
    const lowered = await api.call(updateProjectMember, { ...place, memberId }, { as: host, body: { base_role: 'viewer' } })
    expect([lowered.status, lowered.error.code]).toEqual([409, 'last_owner'])
  }
})

it('the plan of the owner limits guests, including open invites', async () => {
  const ravi = await api.person({ plan: 'developer' })
  const small = { projectId: await api.project({ ownerId: ravi.id }) }
  await api.guest(small.projectId, 'viewer')
  const body = { emails: ['one@example.com', 'two@example.com', ravi.email], base_role: 'viewer' as const }
  const { body: answer } = await api.call(createProjectInvites, small, { as: ravi, body })
  expect(answer.invites.map(({ email }) => email)).toEqual(['one@example.com'])
  expect(answer.failed).toEqual([
    { email: 'two@example.com', code: 'seat_limit' },
    { email: ravi.email, code: 'already_member' },
  ])
})

it('R6: the members of an organization’s project are those of the organization', async () => {
  const owned = await api.organization(host)
  const params = { projectId: await api.project({ organizationId: owned.id }) }
  const inviteId = host.id
  const body = { emails: ['x@example.com'], base_role: 'viewer' as const }
  const member = { ...params, memberId: 'self' }
  const answers = [
    await api.call(projectMembers, params, { as: host }),
    await api.call(projectMember, member, { as: host }),
    await api.call(updateProjectMember, member, { as: host, body: { base_role: 'viewer' } }),
    await api.call(removeProjectMember, member, { as: host }),
    await api.call(projectInvites, params, { as: host }),
    await api.call(createProjectInvites, params, { as: host, body }),
    await api.call(resendProjectInvite, { ...params, inviteId }, { as: host }),
    await api.call(revokeProjectInvite, { ...params, inviteId }, { as: host }),
  ]
  for (const { status, error } of answers) expect([status, error.code]).toEqual([409, 'organization_owned'])
})
