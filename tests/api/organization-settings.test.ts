import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { organization, updateOrganization } from '../../contract/organization'
import { organizations } from '../../contract/organizations'
import { users } from '../../server/accounts/schema/people'
import { createTestApi, type TestApi } from '../support/api'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const hour = 3600

it('an organization ends unused sessions of its members sooner; of several the strictest counts', async () => {
  const founder = await api.person()
  const [strict, other] = [await api.organization(founder, 'Strict'), await api.organization(founder, 'Other')]
  const viewer = await api.member(strict.id, 'viewer')
  const outsider = await api.person()
  const body = { settings: { session_idle_s: 2 * hour } }
  const params = { organizationId: strict.publicId }
  const set = await api.call(updateOrganization, params, { as: founder, body, headers: { 'if-match': '"1"' } })
  expect(set.body.settings.session_idle_s).toBe(2 * hour)
  api.advance(2 * hour - 1)
  expect((await api.call(organization, params, { as: viewer })).status).toBe(200)
  api.advance(2 * hour)
  expect((await api.call(organizations, {}, { as: viewer })).status).toBe(401)
  expect((await api.call(organization, { organizationId: other.publicId }, { as: founder })).status).toBe(401)
  expect((await api.call(organizations, {}, { as: outsider })).status).toBe(200)
})

it('an organization that requires a second factor refuses members without one, and owners cannot lock themselves out', async () => {
  const founder = await api.person()
  const made = await api.organization(founder, 'Vault')
  const params = { organizationId: made.publicId }
  const viewer = await api.member(made.id, 'viewer')
  const demand = { as: founder, body: { settings: { require_mfa: true } }, headers: { 'if-match': '"1"' } }
  const refused = await api.call(updateOrganization, params, demand)
  expect([refused.status, refused.error.details[0]?.field]).toEqual([422, 'settings.require_mfa'])
  await api.db.update(users).set({ mfaEnabled: true }).where(eq(users.id, founder.id))
  expect((await api.call(updateOrganization, params, demand)).status).toBe(200)
  expect((await api.call(organization, params, { as: founder })).status).toBe(200)
  const out = await api.call(organization, params, { as: viewer })
  expect([out.status, out.error.code]).toEqual([403, 'second_factor_required'])
  await api.db.update(users).set({ mfaEnabled: true }).where(eq(users.id, viewer.id))
  expect((await api.call(organization, params, { as: viewer })).status).toBe(200)
})
