import { afterAll, beforeAll, expect, it } from 'vitest'
import { eq } from 'drizzle-orm'
import { organizationAuditLog, projectAuditLog } from '../../contract/accounts/audit'
import { checkIn } from '../../contract/device/endpoints'
import { devices } from '../../contract/fleet/devices'
import { projectInvites } from '../../contract/accounts/invites'
import { createProjectInvites } from '../../contract/accounts/invites'
import { member, updateMember } from '../../contract/accounts/members'
import { transferProject } from '../../contract/accounts/project-changes'
import { project } from '../../contract/accounts/projects'
import { verify } from '../../server/core/audit/chain'
import { users } from '../../server/accounts/schema/people'
import { organizations } from '../../server/accounts/schema/organizations'
import { createTestApi, type TestApi } from '../support/api'
import { checkInBody } from '../support/devices'
import { createTestObjects } from '../support/test-objects'
import type { Person } from '../support/people'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const place = async () => {
  const ines = await api.person()
  const [from, to] = [await api.organization(ines, 'From'), await api.organization(ines, 'To')]
  const projectId = await api.project({ organizationId: from.id }, 'Gateways')
  return { ines, from, to, projectId }
}

const transfer = async (as: Person, projectId: string, organizationId: string | null, name = 'Gateways', by: Person = as) => {
  const { revision } = (await api.call(project, { projectId }, { as: by })).body
  const body = { organization_id: organizationId, confirm_name: name }
  return api.call(transferProject, { projectId }, { as, body, headers: { 'if-match': `"${revision}"` } })
}

it('gives a project to another organization and back; its device keeps working, and both logs record it', async () => {
  const { ines, from, to, projectId } = await place()
  const gateway = await createTestObjects(api.deps).device(projectId)
  const viewer = await api.member(from.id, 'viewer')
  const developer = await api.member(to.id, 'developer')
  const roleIn = { as: ines, body: { project_roles: [{ project_id: projectId, role: 'maintainer' as const }] } }
  await api.call(updateMember, { organizationId: from.publicId, memberId: viewer.id }, roleIn)
  expect((await api.call(project, { projectId }, { as: developer })).status).toBe(404)

  const moved = await transfer(ines, projectId, to.publicId)
  expect([moved.status, moved.body.organization_id]).toEqual([200, to.publicId])
  expect((await api.call(project, { projectId }, { as: viewer })).status).toBe(404)
  expect((await api.call(project, { projectId }, { as: developer })).status).toBe(200)
  expect(
    (await api.call(member, { organizationId: from.publicId, memberId: viewer.id }, { as: ines })).body.project_roles,
  ).toEqual([])
  expect((await api.call(checkIn, {}, { as: gateway, body: checkInBody() })).status).toBe(200)
  expect((await api.call(devices, { projectId }, { as: developer })).body.devices).toHaveLength(1)

  const entryOf = async (organizationId: string) =>
    (await api.call(organizationAuditLog, { organizationId }, { as: ines, query: { action: 'project.transfer' } })).body.entries
  const entry = { project_id: projectId, actor: { id: ines.id }, changes: [{ field: 'owner', before: 'From', after: 'To' }] }
  expect(await entryOf(from.publicId)).toMatchObject([entry])
  expect(await entryOf(to.publicId)).toMatchObject([entry])
  for (const { id } of [from, to]) expect((await verify(api.db, id)).whole).toBe(true)
  // The entries before stay with the former owner.
  const { entries } = (await api.call(projectAuditLog, { projectId }, { as: ines })).body
  expect(entries.map(({ action }) => action)).toEqual(['project.transfer'])

  expect((await transfer(ines, projectId, from.publicId)).status).toBe(200)
  expect((await api.call(project, { projectId }, { as: viewer })).status).toBe(200)
  expect((await api.call(project, { projectId }, { as: developer })).status).toBe(404)
  expect((await entryOf(to.publicId)).length).toBe(2)
})

it('a personal project loses its guests and open invites when an organization gets it', async () => {
  const { ines, to } = await place()
  const projectId = await api.project({ ownerId: ines.id }, 'Bench')
  const guest = await api.guest(projectId, 'operator')
  const sent = { as: ines, body: { emails: ['mara@hedgerow.example'], base_role: 'viewer' as const } }
  await api.call(createProjectInvites, { projectId }, sent)
  expect((await transfer(ines, projectId, to.publicId, 'Bench')).status).toBe(200)
  expect((await api.call(project, { projectId }, { as: guest })).status).toBe(404)
  const back = await transfer(ines, projectId, null, 'Bench')
  expect([back.status, back.body.organization_id]).toEqual([200, undefined])
  expect((await api.call(project, { projectId }, { as: guest })).status).toBe(404)
  const { invites } = (await api.call(projectInvites, { projectId }, { as: ines })).body
  expect(invites.map(({ state }) => state)).toEqual(['revoked'])
})

it('is refused without the right on both sides, without the name, to its own owner, and for a changed project', async () => {
  const { ines, from, to, projectId } = await place()
  const developer = await api.member(from.id, 'developer')
  expect((await transfer(developer, projectId, null)).error.required_permission).toBe('project:delete')
  const admin = await api.member(from.id, 'admin')
  expect((await transfer(admin, projectId, to.publicId)).status).toBe(404)
  const elsewhere = await api.organization(await api.person(), 'Elsewhere')
  await api.call(updateMember, { organizationId: to.publicId, memberId: admin.id }, { as: ines, body: { base_role: 'viewer' } })
  expect((await transfer(ines, projectId, elsewhere.publicId)).status).toBe(404)
  expect((await transfer(ines, projectId, to.publicId, 'Another')).error.details).toMatchObject([{ field: 'confirm_name' }])
  expect((await transfer(ines, projectId, from.publicId)).error.details).toMatchObject([{ code: 'same_owner' }])
  const stale = { as: ines, body: { organization_id: to.publicId, confirm_name: 'Gateways' }, headers: { 'if-match': '"9"' } }
  expect((await api.call(transferProject, { projectId }, stale)).status).toBe(412)
  await api.project({ organizationId: to.id }, 'GATEWAYS')
  expect((await transfer(ines, projectId, to.publicId)).error.details).toMatchObject([{ field: 'name', code: 'taken' }])
  expect((await api.call(project, { projectId }, { as: ines })).body.organization_id).toBe(from.publicId)
})

it('a viewer of the other organization may not bring a project into it, nor somebody without the second factor it requires', async () => {
  const { ines, from, to, projectId } = await place()
  const both = await api.member(to.id, 'viewer')
  await api.ownerDb.execute(
    // An owner of the one, a viewer of the other.
    `insert into members (organization_id, user_id, base_role, joined_at) values ('${from.id}', '${both.id}', 'owner', now())`,
  )
  expect((await transfer(both, projectId, to.publicId)).error.required_permission).toBe('project:create')
  const { organization } = { organization: organizations }
  const [row] = await api.db.select().from(organization).where(eq(organization.id, to.id))
  const settings = { ...row?.settings, require_mfa: true } as NonNullable<typeof row>['settings']
  await api.ownerDb.update(organization).set({ settings }).where(eq(organization.id, to.id))
  expect((await transfer(ines, projectId, to.publicId)).error.code).toBe('second_factor_required')
  await api.ownerDb.update(users).set({ mfaEnabled: true }).where(eq(users.id, ines.id))
  expect((await transfer(ines, projectId, to.publicId)).status).toBe(200)
})

it('the plan of the new owner limits projects and devices, and nothing changes when it refuses', async () => {
  const { ines, from, projectId } = await place()
  const small = await api.organization(ines, 'Small', 'developer')
  const objects = createTestObjects(api.deps)
  for (let n = 0; n < 26; n++) await objects.device(projectId)
  const refused = await transfer(ines, projectId, small.publicId)
  expect([refused.status, refused.error.code, refused.error.about]).toEqual([
    402,
    'plan_limit',
    { limit: 25, used: 26, plan: 'developer' },
  ])
  expect((await api.call(project, { projectId }, { as: ines })).body.organization_id).toBe(from.publicId)
  const light = await api.project({ organizationId: from.id }, 'Light')
  for (const name of ['a', 'b', 'c']) await api.project({ organizationId: small.id }, name)
  expect((await transfer(ines, light, small.publicId, 'Light')).status).toBe(402)
})
