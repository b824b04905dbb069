import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { createAccessToken, rotateAccessToken } from '../../contract/accounts/access-tokens'
import { type Expiration, expirations } from '../../contract/overview/expirations'
import { createInvites, resendInvite } from '../../contract/accounts/invites'
import { updateMember } from '../../contract/accounts/members'
import { newRow } from '../../server/core/database/row'
import { subscriptions } from '../../server/accounts/schema/billing'
import { createTestApi, type TestApi } from '../support/api'
import { type Read, readOf } from '../support/blocks'
import type { Person } from '../support/people'
import { createTestObjects } from '../support/test-objects'

let api: TestApi
beforeAll(async () => {
  api = await createTestApi()
})
afterAll(() => api.close())

let owner: Person
let organization: { id: string; publicId: string }
let projectId: string
beforeEach(async () => {
  owner = await api.person()
  organization = await api.organization(owner)
  projectId = await api.project({ organizationId: organization.id })
})

const inDays = (days: number) => new Date(api.deps.clock().getTime() + days * 86_400_000)
const stamp = (days: number) => `${inDays(days).toISOString().slice(0, 19)}+00:00`
const listed = async (as: Person, query: object = {}) => {
  const { status, body, text } = await api.call(expirations, {}, { as, query })
  expect(status, text).toBe(200)
  return body.expirations
}
const kinds = (list: readonly Expiration[]) => list.map(({ kind }) => kind)

/** One of each kind that ends, each a day after the one before. */
const createEach = async () => {
  const make = createTestObjects(api.deps)
  const as = owner
  await api.call(createEnrollmentToken, { projectId }, { as, body: { name: 'Line 1', expires_at: stamp(0.5) } })
  const keyId = await make.signingKey(projectId)
  await api.db.execute(sql`update signing_keys set expires_at = ${stamp(1)}::timestamptz where id = ${keyId}`)
  const releaseId = await make.release(projectId)
  await api.db.execute(
    sql`update releases set state = 'ready', name = 'Gateway', expires_at = ${stamp(2)}::timestamptz where id = ${releaseId}`,
  )
  const bundleId = await make.bundle(projectId)
  const artifactId = await make.artifact(projectId, bundleId)
  await api.db.execute(
    sql`update bundle_artifacts set certificate_expires_at = ${stamp(3)}::timestamptz where id = ${artifactId}`,
  )
  const subscription = {
    customerId: 'cus_1',
    providerId: `sub_${organization.publicId}`,
    plan: 'production',
    state: 'active',
  } as const
  const terms = {
    priceId: 'price_1',
    quantity: 1,
    cancelAtPeriodEnd: true,
    invoices: [],
    startedAt: inDays(0),
    happenedAt: inDays(0),
  }
  const row = { ...newRow(api.deps.clock()), organizationId: organization.id, ...subscription, ...terms }
  await api.db.insert(subscriptions).values({ ...row, currentPeriodEnd: inDays(4) })
  const { body } = await api.call(
    createAccessToken,
    { projectId },
    { as, body: { name: 'ci', permissions: ['project:view'], lifetime_days: 7 } },
  )
  const { body: invited } = await api.call(
    createInvites,
    { organizationId: organization.publicId },
    { as, body: { emails: ['mara@example.com'], base_role: 'viewer' } },
  )
  return { keyId, releaseId, bundleId, artifactId, accessTokenId: body.id, inviteId: invited.invites[0]?.id }
}

it('lists what ends within 30 days by date, with how urgent it is and the page that renews it', async () => {
  const { releaseId, bundleId, accessTokenId } = await createEach()
  const project = `/organizations/${organization.publicId}/projects/${projectId}`
  const asked = { organization_id: organization.publicId }
  // What is made for a few days is not urgent from its first second.
  expect((await listed(owner, asked)).map(({ kind, severity }) => `${kind} ${severity}`)).toEqual([
    'enrollment_token info',
    'signing_key critical',
    'manifest warning',
    'certificate warning',
    'subscription warning',
    'access_token info',
    'invite info',
  ])
  for (const table of ['enrollment_tokens', 'access_tokens'])
    await api.db.execute(
      sql`update ${sql.raw(table)} set created_at = ${stamp(-30)}::timestamptz where project_id = ${projectId}`,
    )
  await api.db.execute(
    sql`update invites set last_sent_at = ${stamp(-30)}::timestamptz where organization_id = ${organization.id}`,
  )
  const found = await listed(owner, asked)
  expect(found.map(({ kind, severity, link }) => [kind, severity, link])).toEqual([
    ['enrollment_token', 'critical', `${project}/access?renew=${found[0]?.id}`],
    ['signing_key', 'critical', `${project}/access/key-rotation`],
    ['manifest', 'warning', `${project}/releases/list/add`],
    ['certificate', 'warning', `${project}/secure-boot/list/${bundleId}`],
    ['subscription', 'warning', '/account/settings/subscriptions'],
    ['access_token', 'warning', `${project}/access?rotate=${accessTokenId}`],
    ['invite', 'warning', `/account/settings/organizations/list/${organization.publicId}/invites`],
  ])
  await api.db.execute(sql`update releases set state = 'awaiting_signature' where id = ${releaseId}`)
  expect((await listed(owner, { project_id: projectId }))[2]?.link).toBe(`${project}/releases/list/${releaseId}/status`)
  await api.db.execute(sql`update releases set state = 'ready' where id = ${releaseId}`)
  expect(found[2]).toMatchObject({ name: 'Gateway 1', project: { id: projectId }, expires_at: stamp(2), renewable: true })
  expect(found.every((one) => one.organization?.public_id === organization.publicId)).toBe(true)
  expect(kinds(await listed(owner, { project_id: projectId }))).toEqual([
    'enrollment_token',
    'signing_key',
    'manifest',
    'certificate',
    'access_token',
  ])
  expect(kinds(await listed(owner, { project_id: projectId, within_days: 1 }))).toEqual(['enrollment_token', 'signing_key'])
  expect(await listed(owner)).toEqual(found)
})

it('what was renewed, revoked or used up is gone, and what has expired stays for 14 days', async () => {
  const { accessTokenId, artifactId, bundleId } = await createEach()
  await api.call(rotateAccessToken, { accessTokenId }, { as: owner, body: { overlap_s: 3600 } })
  await api.db.execute(sql`update secure_boot_bundles set state = 'revoked' where id = ${bundleId}`)
  await api.db.execute(sql`update enrollment_tokens set max_uses = 1, uses = 1 where project_id = ${projectId}`)
  await api.db.execute(sql`update signing_keys set state = 'retiring' where project_id = ${projectId}`)
  const left = await listed(owner, { project_id: projectId })
  expect(left.map(({ kind, id }) => [kind, id === accessTokenId || id === artifactId])).toEqual([
    ['manifest', false],
    ['access_token', false],
  ])
  await api.db.execute(sql`update releases set expires_at = ${stamp(-13)}::timestamptz where project_id = ${projectId}`)
  expect(await listed(owner, { project_id: projectId })).toMatchObject([{ kind: 'manifest', severity: 'expired' }, {}])
  await api.db.execute(sql`update releases set expires_at = ${stamp(-14)}::timestamptz where project_id = ${projectId}`)
  expect(kinds(await listed(owner, { project_id: projectId }))).toEqual(['access_token'])
})

it('people see what their role shows, and what they cannot renew says which permission it needs', async () => {
  await createEach()
  const asked = { organization_id: organization.publicId }
  const viewer = await api.member(organization.id, 'viewer')
  const seen = await listed(viewer, asked)
  expect(seen.map(({ kind, renewable, required_permission: needs }) => [kind, renewable, needs])).toEqual([
    ['enrollment_token', false, 'project:manage_access'],
    ['signing_key', false, 'project:manage_access'],
    ['manifest', false, 'project:manage_releases'],
    ['certificate', false, 'project:update'],
    ['subscription', false, 'organization:manage_billing'],
    ['access_token', false, 'project:manage_access'],
  ])
  const billing = await api.member(organization.id, 'billing')
  expect(await listed(billing, asked)).toMatchObject([{ kind: 'subscription', renewable: true }])
  expect((await api.call(expirations, {}, { as: billing, query: { project_id: projectId } })).error.required_permission).toBe(
    'project:view',
  )
  const admin = await api.member(organization.id, 'admin')
  expect(kinds(await listed(admin, asked))).toContain('invite')

  const stranger = await api.person()
  expect(await listed(stranger)).toEqual([])
  for (const query of [asked, { project_id: projectId }])
    expect((await api.call(expirations, {}, { as: stranger, query })).status).toBe(404)
  const both = { ...asked, project_id: projectId }
  expect((await api.call(expirations, {}, { as: owner, query: both })).status).toBe(422)
})

it('an invite whose sender may no longer invite is not listed until somebody sends it again', async () => {
  const { publicId: organizationId } = organization
  const sender = await api.member(organization.id, 'admin')
  const body = { emails: ['noor@example.com'], base_role: 'admin' as const }
  const { invites: sent } = (await api.call(createInvites, { organizationId }, { as: sender, body })).body
  const seen = async () => kinds(await listed(owner, { organization_id: organizationId }))
  expect(await seen()).toEqual(['invite'])
  await api.call(updateMember, { organizationId, memberId: sender.id }, { as: owner, body: { base_role: 'viewer' } })
  expect(await seen()).toEqual([])
  expect((await api.call(resendInvite, { organizationId, inviteId: sent[0]?.id ?? '' }, { as: owner })).status).toBe(200)
  expect(await seen()).toEqual(['invite'])
})

it('in a personal project the owner needs no permission, a guest sees the tokens, and the own subscription is with everything', async () => {
  const own = await api.project({ ownerId: owner.id })
  const body = { name: 'Line 1', expires_at: stamp(3) }
  await api.call(createEnrollmentToken, { projectId: own }, { as: owner, body })
  const guest = await api.guest(own, 'operator')
  expect(await listed(owner, { project_id: own })).toMatchObject([
    { kind: 'enrollment_token', organization: null, required_permission: null, renewable: true },
  ])
  expect(await listed(guest)).toMatchObject([{ required_permission: 'project:manage_access', renewable: false }])
  const terms = { plan: 'production', state: 'past_due', priceId: 'price_1', quantity: 1, cancelAtPeriodEnd: false } as const
  const ids = { customerId: 'cus_2', providerId: `sub_${owner.id}`, invoices: [], startedAt: inDays(0), happenedAt: inDays(0) }
  const row = { ...newRow(api.deps.clock()), userId: owner.id, ...terms, ...ids, currentPeriodEnd: inDays(4) }
  await api.db.insert(subscriptions).values(row)
  expect(kinds(await listed(owner))).toEqual(['enrollment_token', 'subscription'])
  expect(kinds(await listed(owner, { project_id: own }))).toEqual(['enrollment_token'])
})

it('an organization that requires a second factor shows nothing to a member without one', async () => {
  await createEach()
  const { id, publicId } = organization
  const developer = await api.member(id, 'developer')
  expect(await listed(developer)).not.toEqual([])
  await api.db.execute(sql`update organizations set settings = settings || '{"require_mfa": true}' where id = ${id}`)
  expect(await listed(developer)).toEqual([])
  const query = { organization_id: publicId }
  expect((await api.call(expirations, {}, { as: developer, query })).error.code).toBe('second_factor_required')
})

it('pages go on after the last one without a gap, also among equal dates, and read no more of a project with many tokens', async () => {
  let batch = 0
  const insert = (count: number, expires: string, uses: number) => {
    batch++
    return api.db.execute(sql`
      insert into enrollment_tokens (id, created_at, updated_at, project_id, token_hash, prefix, name, kind, max_uses, uses, auto_accept, expires_at)
      select upper(substr(md5(n || ${expires} || ${batch}::text), 1, 26)), now(), now(), ${projectId}, md5(n || ${expires} || ${batch}::text), 'enr_', 'Line ' || n,
        'group', 1, ${uses}, true, ${expires}::timestamptz from generate_series(1, ${count}) as n`)
  }
  await insert(25, stamp(5), 0)
  const page = async (cursor?: string) => {
    const query = { project_id: projectId, limit: 10, ...(cursor !== undefined && { cursor }) }
    return (await api.call(expirations, {}, { as: owner, query })).body
  }
  const first = await page()
  const second = await page(first.next_cursor ?? '')
  const third = await page(second.next_cursor ?? '')
  expect(third.next_cursor).toBe(null)
  const ids = [first, second, third].flatMap(({ expirations: rows }) => rows.map(({ id }) => id))
  expect([ids.length, new Set(ids).size, third.expirations.length]).toEqual([25, 25, 5])

  const measure = async (): Promise<Read> => {
    await api.ownerDb.execute(sql`vacuum analyze enrollment_tokens`)
    return readOf(api, () => page(first.next_cursor ?? ''))
  }
  const few = await measure()
  await insert(5000, stamp(5), 0)
  await insert(5000, stamp(6), 1)
  await insert(5000, stamp(300), 0)
  await insert(5000, stamp(-300), 0)
  const many = await measure()
  expect(many.rows).toBeLessThanOrEqual(few.rows + 20)
  expect(many.blocks).toBeLessThanOrEqual(few.blocks + 80)
})
