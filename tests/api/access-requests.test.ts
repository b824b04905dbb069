import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  accessRequests,
  createAccessRequest,
  denyAccessRequest,
  grantAccessRequest,
} from '../../contract/accounts/access-requests'
import { removeMember } from '../../contract/accounts/members'
import { updateOrganization } from '../../contract/accounts/organization'
import { createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'

let api: TestApi
let founder: Person
let viewer: Person
let id: string
let place: { organizationId: string }
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())
beforeEach(async () => {
  founder = await api.person({ name: 'Ines Quist' })
  const made = await api.organization(founder, 'Orchard')
  id = made.id
  place = { organizationId: made.publicId }
  viewer = await api.member(id, 'viewer')
})

const ask = async (
  as: Person = viewer,
  permission: 'project:manage_releases' | 'project:approve_releases' | 'organization:delete' = 'project:manage_releases',
) => (await api.call(createAccessRequest, place, { as, body: { permission, reason: 'For the fair' } })).body.id

it('a member asks the people who manage members for a missing permission, once, by mail', async () => {
  await ask()
  const mail = api.sent.find(({ to, subject }) => to === founder.email && subject.includes('“manage releases”'))
  expect(mail?.text).toContain('For the fair')
  const again = await api.call(createAccessRequest, place, { as: viewer, body: { permission: 'project:manage_releases' } })
  expect([again.status, again.error.code]).toEqual([409, 'already_asked'])
  const held = await api.call(createAccessRequest, place, { as: viewer, body: { permission: 'project:view' } })
  expect([held.status, held.error.code]).toEqual([409, 'already_held'])
})

it('people who manage members see all requests, others their own', async () => {
  const other = await api.member(id, 'operator')
  await ask()
  await ask(other)
  expect((await api.call(accessRequests, place, { as: founder })).body.total).toBe(2)
  const own = await api.call(accessRequests, place, { as: other })
  expect(own.body.access_requests.map(({ user }) => user.id)).toEqual([other.id])
  expect((await api.call(removeMember, { ...place, memberId: other.id }, { as: founder })).status).toBe(204)
  expect((await api.call(accessRequests, place, { as: founder })).body.total).toBe(1)
})

it('granting gives a role with the permission, effective from the next call', async () => {
  const params = { ...place, accessRequestId: await ask(viewer, 'organization:delete') }
  const weak = await api.call(grantAccessRequest, params, { as: founder, body: { base_role: 'admin' } })
  expect([weak.status, weak.error.details[0]?.field]).toEqual([422, 'base_role'])
  const admin = await api.member(id, 'admin')
  const above = await api.call(grantAccessRequest, params, { as: admin, body: { base_role: 'owner' } })
  expect([above.status, above.error.code]).toEqual([403, 'role_above_own'])
  const granted = await api.call(grantAccessRequest, params, { as: founder, body: { base_role: 'owner' } })
  expect(granted.body).toMatchObject({ state: 'granted', decided_by: { id: founder.id } })
  const change = { as: viewer, body: { name: 'Ours' }, headers: { 'if-match': '"1"' } }
  expect((await api.call(updateOrganization, place, change)).status).toBe(200)
  const twice = await api.call(denyAccessRequest, params, { as: founder })
  expect([twice.status, twice.error.code]).toEqual([409, 'decided'])
})

it('granting never takes permissions away: a role that lacks some of the present one is refused', async () => {
  const developer = await api.member(id, 'developer')
  const params = { ...place, accessRequestId: await ask(developer, 'project:approve_releases') }
  const lower = await api.call(grantAccessRequest, params, { as: founder, body: { base_role: 'operator' } })
  expect([lower.status, lower.error.details.map(({ field, code }) => [field, code])]).toEqual([422, [['base_role', 'lowers']]])
  const granted = await api.call(grantAccessRequest, params, { as: founder, body: { base_role: 'admin' } })
  expect(granted.body.state).toBe('granted')
})

it('a request of another organization is not found, whatever role is given', async () => {
  const params = { ...place, accessRequestId: await ask(viewer, 'organization:delete') }
  const elsewhere = await api.person()
  const { publicId } = await api.organization(elsewhere, 'Elsewhere')
  const other = { ...params, organizationId: publicId }
  for (const base_role of ['viewer', 'owner'] as const) {
    const granted = await api.call(grantAccessRequest, other, { as: elsewhere, body: { base_role } })
    expect([granted.status, granted.error.code, granted.text.includes('delete organizations')], base_role).toEqual([
      404,
      'not_found',
      false,
    ])
  }
  const denied = await api.call(denyAccessRequest, other, { as: elsewhere })
  expect([denied.status, denied.error.code]).toEqual([404, 'not_found'])
})

it('denying changes no role, sends a mail, and allows the same request again', async () => {
  const params = { ...place, accessRequestId: await ask() }
  expect((await api.call(denyAccessRequest, params, { as: viewer })).error.required_permission).toBe(
    'organization:manage_members',
  )
  expect((await api.call(denyAccessRequest, params, { as: founder })).body.state).toBe('denied')
  expect(api.sent.some(({ to, subject }) => to === viewer.email && subject.includes('denied'))).toBe(true)
  expect(await ask()).toMatch(/^\w{26}$/)
})

it('a request is decided in its own organization alone', async () => {
  const accessRequestId = await ask()
  const elsewhere = await api.organization(founder, 'Elsewhere')
  const params = { organizationId: elsewhere.publicId, accessRequestId }
  expect((await api.call(denyAccessRequest, params, { as: founder })).status).toBe(404)
  expect((await api.call(grantAccessRequest, params, { as: founder, body: { base_role: 'admin' } })).status).toBe(404)
})
