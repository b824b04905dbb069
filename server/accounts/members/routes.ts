import type { BodyOf } from '../../../contract/core/endpoint'
import * as contract from '../../../contract/accounts/members'
import { hasEveryProject } from '../../../contract/accounts/project-permissions'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { deleteProjectRole, listProjectRoles, lockProjectsOf, saveProjectRole } from './project-roles.repository'
import { deleteMember, findMember, listMembers, lockMembers, type MemberRow, updateMemberRole } from './repository'
import { requireExpectedRole } from './expected-role'
import { requireRoleChange } from './role-change'
import { memberToJson } from './to-json'
import { findViewableProjects } from './viewable-projects'

type IsViewable = (projectId: string) => boolean

const toJson = async (
  tx: Tx,
  organizationId: string,
  rows: MemberRow[],
  isViewable: IsViewable = () => true,
): Promise<contract.Member[]> => {
  const roles = await listProjectRoles(
    tx,
    organizationId,
    rows.map(({ user }) => user.id),
  )
  const shown = roles.filter(({ projectId }) => isViewable(projectId))
  return rows.map((row) => memberToJson(row, shown))
}

const read = async (tx: Tx, organizationId: string, userId: string, isViewable?: IsViewable): Promise<contract.Member> => {
  const row = await findMember(tx, organizationId, userId)
  const [member] = row ? await toJson(tx, organizationId, [row], isViewable) : []
  return member ?? notFound()
}

type RoleInProject = NonNullable<BodyOf<typeof contract.updateMember>['project_roles']>[number]

const saveProjectRoles = async (tx: Tx, organizationId: string, member: contract.Member, asked: RoleInProject[]) => {
  const owned = await lockProjectsOf(
    tx,
    organizationId,
    asked.map(({ project_id: id }) => id),
  )
  for (const [at, { project_id: projectId, role, expected_role: expected }] of asked.entries()) {
    if (!owned.has(projectId)) refuseField(`project_roles.${at}.project_id`, 'unknown', 'This project is not of the organization')
    requireExpectedRole(member.project_roles.find((one) => one.project_id === projectId)?.role ?? null, expected)
    const key = { organizationId, userId: member.user.id, projectId }
    if (role === null) await deleteProjectRole(tx, key)
    else if (hasEveryProject(member.base_role))
      refuse(409, 'has_every_project', { message: 'Owners and admins have all rights in every project' })
    else await saveProjectRole(tx, key, role)
  }
}

const target = ({ user }: contract.Member) => ({ kind: 'member', id: user.id, name: user.name || user.email })

export const memberRoutes = (api: Api): void => {
  route(api, contract.members, async ({ tx, organization, user, query }) => {
    const { rows, ...page } = await listMembers(tx, organization.id, query)
    const isViewable = await findViewableProjects(tx, organization, user.id)
    return { members: await toJson(tx, organization.id, rows, isViewable), ...page }
  })

  route(api, contract.member, async ({ tx, organization, params, user }) =>
    read(
      tx,
      organization.id,
      params.memberId === 'self' ? user.id : params.memberId,
      await findViewableProjects(tx, organization, user.id),
    ),
  )

  route(api, contract.updateMember, async ({ tx, organization, params, body, user, audit }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    const { id: organizationId } = organization
    await lockMembers(tx, organizationId)
    const before = await read(tx, organizationId, userId)
    const { base_role: role = before.base_role, project_roles: projectRoles = [] } = body
    await requireRoleChange(tx, { organizationId, actorId: user.id, userId, to: role })
    requireExpectedRole(before.base_role, body.expected_base_role)
    if (body.base_role !== undefined) await updateMemberRole(tx, organizationId, userId, role)
    await saveProjectRoles(tx, organizationId, { ...before, base_role: role }, projectRoles)
    const after = await read(tx, organizationId, userId)
    audit({ target: target(after), changes: changesOf(before, after, ['base_role', 'project_roles']) })
    return after
  })

  route(api, contract.removeMember, async ({ tx, organization, params, user, audit }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    await requireRoleChange(tx, { organizationId: organization.id, actorId: user.id, userId, to: null })
    const before = await read(tx, organization.id, userId)
    await deleteMember(tx, organization.id, userId)
    audit({ target: target(before) })
  })
}
