import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { member, members as list, removeMember, updateMember } from '../../contract/accounts/members'
import { leaveOrganization, organization } from '../../contract/accounts/organization'
import { memberPermissions } from '../../contract/accounts/organizations'
import { personalProjectPermissions } from '../../contract/accounts/projects'
import { previewRoleChange } from '../../contract/accounts/role-changes'
import { type BaseRole, rolePermissions } from '../../contract/core/roles'
import { flatten } from '../../contract/core/permissions'
import { members } from '../../server/accounts/schema/organizations'
import { rollouts } from '../../server/updates/schema/rollouts'
import { createTestApi, type TestApi } from '../support/api'
import { repetitions } from '../support/counts'
import type { Person } from '../support/people'
import { createTestObjects } from '../support/test-objects'
import { within } from '../support/machine-load'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const ownersOf = async (organizationId: string) =>
  (
    await api.db
      .select()
      .from(members)
      .where(and(eq(members.organizationId, organizationId), eq(members.baseRole, 'owner')))
  ).length

const rounds = repetitions(40, 1000)

it('T-07: concurrent changes among owners always leave one owner', { timeout: within(600_000) }, async () => {
  for (let round = 0; round < rounds; round++) {
    const founder = await api.person()
    const { id, publicId: organizationId } = await api.organization(founder)
    const owners: Person[] = [founder]
    const many = 2 + (round % 7)
    while (owners.length < many) owners.push(await api.member(id, 'owner'))
    const acts = owners.map((actor, index) => {
      const memberId = owners[(index + 1) % owners.length]?.id ?? ''
      const acting = { as: actor }
      if ((round + index) % 3 === 0) return api.call(leaveOrganization, { organizationId }, acting)
      if ((round + index) % 3 === 1) return api.call(removeMember, { organizationId, memberId }, acting)
      return api.call(updateMember, { organizationId, memberId }, { ...acting, body: { base_role: 'viewer' } })
    })
    const answers = await Promise.all(acts)
    expect(await ownersOf(id)).toBeGreaterThan(0)
    for (const { status } of answers) expect([200, 204, 403, 404, 409]).toContain(status)
  }
})

it('T-07: the database itself refuses an organization without an owner', async () => {
  const founder = await api.person()
  const { id } = await api.organization(founder)
  await expect(api.db.delete(members).where(eq(members.organizationId, id))).rejects.toThrow()
  await expect(api.db.update(members).set({ baseRole: 'admin' }).where(eq(members.organizationId, id))).rejects.toThrow()
  expect(await ownersOf(id)).toBe(1)
})

it('T-11: a removed member does not find the organization on the next call', async () => {
  const founder = await api.person()
  const { id, publicId: organizationId } = await api.organization(founder)
  const viewer = await api.member(id, 'viewer')
  expect((await api.call(organization, { organizationId }, { as: viewer })).status).toBe(200)
  expect((await api.call(removeMember, { organizationId, memberId: viewer.id }, { as: founder })).status).toBe(204)
  expect((await api.call(organization, { organizationId }, { as: viewer })).status).toBe(404)
})

it('a new role takes effect from the next call', async () => {
  const founder = await api.person()
  const { id, publicId: organizationId } = await api.organization(founder)
  const admin = await api.member(id, 'admin')
  const viewer = await api.member(id, 'viewer')
  const lower = { as: founder, body: { base_role: 'viewer' as const } }
  expect((await api.call(updateMember, { organizationId, memberId: admin.id }, lower)).body.base_role).toBe('viewer')
  const refused = await api.call(removeMember, { organizationId, memberId: viewer.id }, { as: admin })
  expect([refused.status, refused.error.required_permission]).toEqual([403, 'organization:manage_members'])
})

it('filters members by name and role, page by page', async () => {
  const founder = await api.person({ name: 'Zoe' })
  const { id, publicId: organizationId } = await api.organization(founder)
  for (const role of ['viewer', 'operator', 'admin'] as const) await api.member(id, role)
  const names: string[] = []
  let cursor: string | undefined
  do {
    const page: Awaited<ReturnType<typeof api.call<typeof list>>> = await api.call(
      list,
      { organizationId },
      { as: founder, query: { limit: 1, ...(cursor !== undefined && { cursor }) } },
    )
    names.push(...page.body.members.map(({ user }) => user.name))
    cursor = page.body.next_cursor ?? undefined
  } while (cursor !== undefined)
  expect(names).toEqual(['The admin', 'The operator', 'The viewer', 'Zoe'])
  const operators = await api.call(list, { organizationId }, { as: founder, query: { role: 'operator' } })
  expect(operators.body).toMatchObject({ members: [{ base_role: 'operator' }], total: 1 })
  const own = await api.call(member, { organizationId, memberId: 'self' }, { as: founder })
  expect(own.body).toMatchObject({ user: { id: founder.id }, base_role: 'owner' })
  const bad = await api.call(list, { organizationId }, { as: founder, query: { cursor: 'bm90IGEgY3Vyc29y' } })
  expect([bad.status, bad.error.details[0]?.field]).toEqual([422, 'cursor'])
})

it('says what a member may do, in groups, and the owner of a personal project has no list', async () => {
  const founder = await api.person()
  const { id, publicId: organizationId } = await api.organization(founder)
  const viewer = await api.member(id, 'viewer')
  const asked = { organizationId, memberId: 'self' }
  const own = (await api.call(memberPermissions, asked, { as: viewer })).body
  expect([flatten(own.permissions), own.baseRole]).toEqual([expect.arrayContaining([...rolePermissions.viewer]), 'viewer'])
  const about = { organizationId, memberId: founder.id }
  expect((await api.call(memberPermissions, about, { as: viewer })).status).toBe(403)
  expect((await api.call(memberPermissions, { organizationId, memberId: viewer.id }, { as: founder })).body.baseRole).toBe(
    'viewer',
  )
  const projectId = await api.project({ ownerId: founder.id })
  const mine = { projectId, memberId: 'self' }
  expect((await api.call(personalProjectPermissions, mine, { as: founder })).body).toEqual({
    permissions: null,
    baseRole: 'owner',
  })
  const guest = await api.guest(projectId, 'operator')
  expect((await api.call(personalProjectPermissions, mine, { as: guest })).body.baseRole).toBe('operator')
  expect((await api.call(personalProjectPermissions, mine, { as: viewer })).status).toBe(404)
  const owned = await api.project({ organizationId: id })
  const elsewhere = await api.call(personalProjectPermissions, { projectId: owned, memberId: 'self' }, { as: viewer })
  expect([elsewhere.status, elsewhere.error.code]).toEqual([409, 'organization_owned'])
})

it('before a role is changed, a preview names the tokens that then do less and the scheduled rollouts that start all the same', async () => {
  const founder = await api.person()
  const { id, publicId: organizationId } = await api.organization(founder)
  const projectId = await api.project({ organizationId: id }, 'Gateways')
  const author = await api.member(id, 'developer')
  const make = createTestObjects(api.deps)
  const { id: tokenId } = await make.accessToken(projectId, author.id, {
    name: 'ci',
    permissions: ['project:view', 'project:manage_releases'],
  })
  await make.accessToken(projectId, author.id, { name: 'reader', permissions: ['project:view'] })
  await make.accessToken(projectId, author.id, {
    name: 'old',
    permissions: ['project:manage_releases'],
    revokedAt: api.deps.clock(),
  })
  await make.accessToken(projectId, founder.id, { name: 'other', permissions: ['project:manage_releases'] })
  const rolloutId = await make.rollout(projectId, await make.release(projectId))
  const createdBy = { id: author.id, name: 'The developer', kind: 'user' }
  await api.db.update(rollouts).set({ name: 'June', phase: 'scheduled', createdBy }).where(eq(rollouts.id, rolloutId))
  const preview = async (base_role?: BaseRole, as: Person = founder) => {
    const query = base_role === undefined ? {} : { base_role }
    const { status, body } = await api.call(previewRoleChange, { organizationId, memberId: author.id }, { as, query })
    return status === 200
      ? [body.access_tokens.map(({ name, lost }) => [name, lost]), body.scheduled_rollouts.map(({ name }) => name)]
      : status
  }
  expect(await preview('admin')).toEqual([[], []])
  expect(await preview('viewer')).toEqual([[['ci', ['project:manage_releases']]], ['June']])
  expect(await preview()).toEqual([
    [
      ['ci', ['project:view', 'project:manage_releases']],
      ['reader', ['project:view']],
    ],
    ['June'],
  ])
  expect(await preview('viewer', author)).toBe(403)
  const { body } = await api.call(previewRoleChange, { organizationId, memberId: author.id }, { as: founder, query: {} })
  expect(body.access_tokens[0]).toMatchObject({ id: tokenId, project: { id: projectId, name: 'Gateways' } })
})
