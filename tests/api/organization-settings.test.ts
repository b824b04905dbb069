import { eq, sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { organizationAuditLog } from '../../contract/accounts/audit'
import { organization, updateOrganization } from '../../contract/accounts/organization'
import { organizations } from '../../contract/accounts/organizations'
import { planLimits } from '../../contract/accounts/plan-limits'
import { trimChains } from '../../server/accounts/audit/watch'
import { organizations as organizationRows } from '../../server/accounts/schema/organizations'
import { users } from '../../server/accounts/schema/people'
import { openAnchors } from '../../server/core/audit/anchor'
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

it('the audit log is kept for the days of the organization, within its plan, and the removal is recorded', async () => {
  const founder = await api.person()
  const made = await api.organization(founder, 'Archive')
  const params = { organizationId: made.publicId }
  const keep = (days: number, revision: number) =>
    api.call(updateOrganization, params, {
      as: founder,
      body: { settings: { audit_retention_days: days } },
      headers: { 'if-match': `"${revision}"` },
    })
  const anchors = await openAnchors(api.config.dataDirectory)
  const watch = { db: api.ownerDb, anchors, log: pino({ level: 'silent' }), now: () => api.deps.clock() }
  const shown = async () => (await api.call(organizationAuditLog, params, { as: founder })).body
  const { plan, revision } = (await api.call(organization, params, { as: founder })).body
  const most = planLimits[plan].audit_days
  const refused = await keep(most + 1, revision)
  expect([refused.status, refused.error.details[0]?.field]).toEqual([422, 'settings.audit_retention_days'])
  expect((await keep(29, revision)).status).toBe(422)
  expect((await keep(40, revision)).body.settings.audit_retention_days).toBe(40)
  expect(await trimChains(watch, new Date(api.deps.clock().getTime() + 39 * 86_400_000))).toBe(0)
  expect(await trimChains(watch, new Date(api.deps.clock().getTime() + 41 * 86_400_000))).toBe(1)
  const { entries, chain } = await shown()
  expect(chain).toMatchObject({ first_sequence: 2, head_sequence: 2, verified: 'yes' })
  expect(entries).toMatchObject([{ action: 'audit.trim', actor: { kind: 'system' }, target: { name: 'up to entry 1' } }])
  // Nothing but the record of retention is left: it is not removed in turn.
  await trimChains(watch, new Date(Date.now() + 100 * 86_400_000))
  expect((await shown()).chain).toMatchObject({ first_sequence: 2, head_sequence: 2 })
})

it('a setting beyond the plan has no effect, and does not keep other settings from being changed', async () => {
  const founder = await api.person()
  const made = await api.organization(founder, 'Small', 'developer')
  const params = { organizationId: made.publicId }
  const before = sql`settings || '{"audit_retention_days": 365}'`
  await api.ownerDb.update(organizationRows).set({ settings: before }).where(eq(organizationRows.id, made.id))
  const body = { name: 'Smaller', settings: { audit_retention_days: 365 } }
  const saved = await api.call(updateOrganization, params, { as: founder, body, headers: { 'if-match': '"1"' } })
  expect([saved.status, saved.body.settings.audit_retention_days]).toEqual([200, 365])
  const anchors = await openAnchors(api.config.dataDirectory)
  const watch = { db: api.ownerDb, anchors, log: pino({ level: 'silent' }), now: () => api.deps.clock() }
  await trimChains(watch, new Date(api.deps.clock().getTime() + 91 * 86_400_000))
  const { chain } = (await api.call(organizationAuditLog, params, { as: founder })).body
  expect(chain).toMatchObject({ first_sequence: 2, head_sequence: 2 })
})
