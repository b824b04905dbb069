import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  accessTokens,
  createAccessToken,
  currentAccessToken,
  isNetwork,
  type NewAccessToken,
  revokeAccessToken,
  rotateAccessToken,
  tokenPermissions,
} from '../../contract/accounts/access-tokens'
import { createDevice, devices } from '../../contract/fleet/devices'
import { createAsset } from '../../contract/updates/release-assets'
import { createRelease } from '../../contract/updates/releases'
import { createTag, tags } from '../../contract/fleet/tags'
import { self } from '../../contract/accounts/users'
import { uploads } from '../../contract/updates/uploads'
import { isAllowedAddress } from '../../server/accounts/access-tokens/allowed-addresses'
import { accessTokens as tokenTable } from '../../server/accounts/schema/access-tokens'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { members, organizations } from '../../server/accounts/schema/organizations'
import { createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'

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

const devicesOnly: NewAccessToken = { name: 'ci', permissions: ['project:view', 'device:view'], lifetime_days: 30 }

const create = async (as: Person, body: Partial<NewAccessToken> = {}) => {
  const made = await api.call(createAccessToken, { projectId }, { as, body: { ...devicesOnly, ...body } })
  expect(made.status, made.text).toBe(201)
  return made.body
}

const audited = async (action: string) =>
  (await api.db.select().from(auditEntries).where(eq(auditEntries.projectId, projectId))).filter((row) => row.action === action)

it('an access token is shown once, only its hash is stored, and the list says what it is and who made it', async () => {
  const made = await create(owner)
  expect(made.token).toMatch(/^pat_[0-9A-Za-z]{49}$/)
  const [row] = await api.db.select().from(tokenTable).where(eq(tokenTable.id, made.id))
  expect(JSON.stringify(row)).not.toContain(made.token)
  expect(made.prefix).toBe(made.token.slice(0, 8))
  const { body, text } = await api.call(accessTokens, { projectId }, { as: owner })
  expect(text).not.toContain(made.token)
  expect(body.access_tokens).toMatchObject([
    { name: 'ci', state: 'active', permissions: devicesOnly.permissions, maker: { id: owner.id }, last_used_at: null },
  ])
  expect(await audited('access_token.create')).toMatchObject([{ target: { id: made.id, name: 'ci' }, actor: { id: owner.id } }])
})

it('a new access token is refused by field: name taken, permission not held, no end without the production plan', async () => {
  await create(owner)
  const refused = async (as: Person, body: object) => {
    const { status, error } = await api.call(createAccessToken, { projectId }, { as, body: { ...devicesOnly, ...body } })
    return [status, error.details?.map(({ field, message }) => `${field}: ${message}`)]
  }
  expect(await refused(owner, { name: 'CI' })).toEqual([422, ['name: Another access token has this name']])
  expect(await refused(owner, { name: 'a', permissions: [] })).toEqual([422, ['permissions: Choose at least one permission']])
  expect((await refused(owner, { name: 'a', permissions: ['project:delete'] }))[0]).toBe(422)
  expect(await refused(owner, { name: 'a', allowed_addresses: ['10.0.0.0/33'] })).toEqual([
    422,
    ['allowed_addresses.0: 10.0.0.0/33 is not an address such as 192.0.2.7 or a network such as 10.0.0.0/24'],
  ])
  const developer = await api.member(organization.id, 'developer')
  expect(await refused(developer, { name: 'a', permissions: ['project:approve_releases'] })).toEqual([
    422,
    ['permissions: You do not have project:approve_releases in this project'],
  ])
  const poor = await api.person({ plan: 'developer' })
  projectId = await api.project({ ownerId: poor.id })
  expect(await refused(poor, { lifetime_days: null })).toEqual([
    422,
    ['lifetime_days: Tokens without an end need the production plan: choose a lifetime'],
  ])
})

it('a change made with an access token names its maker and the token in the audit log', async () => {
  const { token, id } = await create(owner, { permissions: ['project:manage_devices'] })
  const body = { name: 'by-ci', hardware_model: 'gw' }
  expect((await api.call(createDevice, { projectId }, { as: token, body })).status).toBe(201)
  expect(await audited('device.pre_enroll')).toMatchObject([
    { actor: { kind: 'user', id: owner.id }, credential: { kind: 'access_token', id, name: 'ci' } },
  ])
})

it('an access token may do less when its maker may, at once, and nothing when they have left', async () => {
  const developer = await api.member(organization.id, 'developer')
  const { token } = await create(developer, { permissions: ['project:view', 'project:manage_devices'] })
  const tag = (name: string) => api.call(createTag, { projectId }, { as: token, body: { name, colour: 'moss' } })
  const current = async () => (await api.call(currentAccessToken, {}, { as: token })).body.access_token.effective_permissions
  expect((await tag('first')).status).toBe(201)
  expect(await current()).toEqual(['project:view', 'project:manage_devices'])
  await api.db.update(members).set({ baseRole: 'viewer' }).where(eq(members.userId, developer.id))
  expect(await tag('second')).toMatchObject({ status: 403, error: { required_permission: 'project:manage_devices' } })
  expect((await api.call(tags, { projectId }, { as: token })).status).toBe(200)
  await api.db.delete(members).where(eq(members.userId, developer.id))
  expect(await api.call(tags, { projectId }, { as: token })).toMatchObject({
    status: 403,
    error: { required_permission: 'project:view' },
  })
  expect(await current()).toEqual([])
  const [listed] = (await api.call(accessTokens, { projectId }, { as: owner })).body.access_tokens
  expect(listed).toMatchObject({ permissions: ['project:view', 'project:manage_devices'], effective_permissions: [] })
})

it('an access token of a personal project may do what it lists while its maker owns the project', async () => {
  projectId = await api.project({ ownerId: owner.id })
  const made = await create(owner)
  expect(made.effective_permissions).toEqual(devicesOnly.permissions)
  const [listed] = (await api.call(accessTokens, { projectId }, { as: owner })).body.access_tokens
  expect(listed?.effective_permissions).toEqual(devicesOnly.permissions)
  expect((await api.call(devices, { projectId }, { as: made.token })).status).toBe(200)
  const body = { name: 'a', colour: 'moss' as const }
  expect((await api.call(createTag, { projectId }, { as: made.token, body })).status).toBe(403)
})

it('both tokens work during the overlap of a rotation, then only the new one; neither can be rotated twice', async () => {
  const old = await create(owner)
  const rotate = (accessTokenId: string, overlap_s: number) =>
    api.call(rotateAccessToken, { accessTokenId }, { as: owner, body: { overlap_s } })
  const { body: fresh, status } = await rotate(old.id, 3600)
  expect(status).toBe(201)
  expect(fresh).toMatchObject({ name: 'ci', rotated_from: old.id, permissions: old.permissions, expires_at: old.expires_at })
  const statuses = async () =>
    Promise.all([old, fresh].map(async ({ token }) => (await api.call(devices, { projectId }, { as: token })).status))
  expect(await statuses()).toEqual([200, 200])
  expect((await rotate(old.id, 0)).status).toBe(409)
  api.advance(3601)
  expect(await statuses()).toEqual([401, 200])
  expect(await audited('access_token.rotate')).toMatchObject([{ target: { id: fresh.id } }])
  const denied = [{ reason: 'token_expired', target: { id: old.id }, credential: { id: old.id }, result: 'denied' }]
  await expect.poll(() => audited('access_token.use_denied')).toMatchObject(denied)
  const { body: last } = await rotate(fresh.id, 0)
  expect((await api.call(devices, { projectId }, { as: fresh.token })).status).toBe(401)
  expect((await api.call(devices, { projectId }, { as: last.token })).status).toBe(200)
})

it('an access token without an end is rotated only under a plan that allows such tokens, and keeps working otherwise', async () => {
  const old = await create(owner, { lifetime_days: null })
  const rotate = (accessTokenId: string) => api.call(rotateAccessToken, { accessTokenId }, { as: owner, body: { overlap_s: 0 } })
  const setPlan = (plan: 'developer' | 'production') =>
    api.db.update(organizations).set({ plan }).where(eq(organizations.id, organization.id))
  await setPlan('developer')
  expect(await rotate(old.id)).toMatchObject({
    status: 402,
    error: { code: 'plan_limit', required_plan: 'production', message: expect.stringContaining('Create one with a lifetime') },
  })
  expect((await api.call(devices, { projectId }, { as: old.token })).status).toBe(200)
  expect((await rotate((await create(owner, { name: 'month' })).id)).status).toBe(201)
  await setPlan('production')
  expect((await rotate(old.id)).body).toMatchObject({ rotated_from: old.id, expires_at: null })
})

it('a revoked access token is refused by name from the next request on, and its denied uses are recorded once an hour', async () => {
  const { id, token } = await create(owner)
  const use = () => api.call(devices, { projectId }, { as: token })
  expect((await use()).status).toBe(200)
  const revoke = () => api.call(revokeAccessToken, { accessTokenId: id }, { as: owner })
  expect((await revoke()).status).toBe(204)
  expect((await revoke()).status).toBe(204)
  for (let call = 0; call < 3; call++) expect(await use()).toMatchObject({ status: 401, error: { code: 'token_revoked' } })
  expect(await audited('access_token.revoke')).toHaveLength(1)
  await expect.poll(() => audited('access_token.use_denied')).toHaveLength(1)
  api.advance(3601)
  await use()
  // Written after the answer.
  await expect.poll(() => audited('access_token.use_denied')).toHaveLength(2)
})

it('an access token works from its allowed addresses only, and tells when and from where it was used', async () => {
  const { token } = await create(owner, { allowed_addresses: ['192.0.2.0/24', '2001:db8::/32'] })
  const from = async (address: string) => (await api.call(devices, { projectId }, { as: token, from: address })).status
  expect(await from('198.51.100.7')).toBe(403)
  expect(await from('2001:db8::7')).toBe(200)
  expect(await from('192.0.2.7')).toBe(200)
  const [listed] = (await api.call(accessTokens, { projectId }, { as: owner })).body.access_tokens
  expect(listed).toMatchObject({ last_used_ip: '192.0.2.7', last_used_at: expect.any(String) })
  const denied = [{ reason: 'token_address', sourceIp: '198.51.100.7' }]
  await expect.poll(() => audited('access_token.use_denied')).toMatchObject(denied)
})

it('lists of addresses take addresses and networks of both families, and an IPv4 client of a socket for both', () => {
  for (const network of ['192.0.2.7', '10.0.0.0/8', '0.0.0.0/0', '::1', '2001:db8::/32'])
    expect(isNetwork(network), network).toBe(true)
  for (const other of [
    '',
    'example.com',
    '10.0.0',
    '256.1.1.1',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '1.2.3.4.',
  ])
    expect(isNetwork(other), other).toBe(false)
  expect(isAllowedAddress(['10.0.0.0/8'], '::ffff:10.1.2.3')).toBe(true)
  expect(isAllowedAddress(['10.0.0.0/8'], '::ffff:11.1.2.3')).toBe(false)
  expect(isAllowedAddress(['0.0.0.0/0'], '::1')).toBe(false)
})

it('an access token neither signs in nor reaches other uploads of its maker, and is refused in an address', async () => {
  const { token } = await create(owner, { permissions: [...tokenPermissions] })
  expect(await api.call(self, {}, { as: token })).toMatchObject({ status: 403, error: { code: 'person_required' } })
  expect(await api.call(currentAccessToken, {}, { as: owner })).toMatchObject({ status: 401 })
  const otherId = await api.project({ ownerId: owner.id })
  for (const place of [projectId, otherId]) {
    const names = { version: 1, hardware_models: ['gw'] }
    const release = await api.call(
      createRelease,
      { projectId: place },
      { as: owner, body: { name: 'r', type: 'file', ...names } },
    )
    const file = { name: 'a.bin', kind: 'payload' as const, size: 3, sha256: 'a'.repeat(64) }
    const asset = await api.call(createAsset, { releaseId: release.body.id }, { as: owner, body: file })
    expect([release.status, asset.status], asset.text + release.text).toEqual([201, 201])
    const metadata = Object.entries({ filename: 'a.bin', purpose: 'release_asset', target_id: asset.body.id })
    const begun = await api.app.inject({
      method: 'POST',
      url: '/uploads',
      headers: {
        host: new URL(api.config.urls.api).host,
        authorization: `Bearer ${token}`,
        'tus-resumable': '1.0.0',
        'upload-length': '3',
        'upload-metadata': metadata.map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`).join(','),
      },
    })
    expect(begun.statusCode, begun.payload).toBe(place === projectId ? 201 : 404)
    if (place === projectId) expect((await api.call(uploads, {}, { as: token })).body.uploads).toHaveLength(1)
  }
  const inAddress = await api.app.inject({
    url: `/projects/${projectId}/devices?token=${token}`,
    headers: { host: new URL(api.config.urls.api).host },
  })
  expect([inAddress.statusCode, inAddress.json()]).toMatchObject([400, { error: { code: 'token_in_query' } }])
})

it('an access token of seven days is expiring for the second half of them', async () => {
  const { token, state } = await create(owner, { lifetime_days: 7 })
  const current = async () => (await api.call(currentAccessToken, {}, { as: token })).body.access_token.state
  const seen = [state]
  for (const seconds of [3.5 * 86_400 - 1, 1]) {
    api.advance(seconds)
    seen.push(await current())
  }
  expect(seen).toEqual(['active', 'active', 'expiring'])
})

it('an access token is expiring for its last 14 days, until its end', async () => {
  const { token, state } = await create(owner, { lifetime_days: 30 })
  const current = () => api.call(currentAccessToken, {}, { as: token })
  const seen = [state]
  for (const seconds of [16 * 86_400 - 1, 1, 14 * 86_400 - 1]) {
    api.advance(seconds)
    seen.push((await current()).body.access_token.state)
  }
  expect(seen).toEqual(['active', 'active', 'expiring', 'expiring'])
  api.advance(1)
  expect(await current()).toMatchObject({ status: 401, error: { code: 'token_expired' } })
})

it('T-09: the log does not contain an access token, however it was sent and whatever was answered', async () => {
  const { token, id } = await create(owner, { permissions: ['project:view', 'device:view', 'project:manage_devices'] })
  const host = new URL(api.config.urls.api).host
  const url = `/projects/${projectId}/devices`
  const authorization = `Bearer ${token}`
  const answers = [
    await api.app.inject({ url, headers: { host, authorization } }),
    await api.app.inject({ url: `${url}?token=${token}`, headers: { host } }),
    await api.app.inject({ url: `${url}?cursor=${token}`, headers: { host, authorization } }),
    await api.app.inject({ url: `/projects/${token}/devices`, headers: { host, authorization } }),
    await api.app.inject({ url, headers: { host, authorization: token } }),
    await api.app.inject({ url, headers: { host, 'x-session-token': token } }),
    await api.app.inject({ url, headers: { host, authorization, 'x-request-id': token, referer: `http://localhost/${token}` } }),
    await api.app.inject({
      method: 'POST',
      url,
      payload: `{"name":"${token}"`,
      headers: { host, authorization, 'content-type': 'application/json' },
    }),
  ]
  await api.call(revokeAccessToken, { accessTokenId: id }, { as: owner })
  answers.push(await api.app.inject({ url, headers: { host, authorization } }))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 400, 400, 404, 401, 401, 200, 400, 401])
  // The test's log masks nothing, and has a line of each request.
  const ids = new Set(answers.map(({ headers }) => String(headers['x-request-id'])))
  expect(api.lines.filter((line) => [...ids].some((one) => line.includes(one))).length).toBeGreaterThanOrEqual(answers.length)
  expect(api.lines.filter((line) => line.includes(token))).toEqual([])
})
