import { inOrganization, inProject } from '../../contract/core/endpoint'
import { allows, type Grants } from '../../contract/core/permissions'
import { memberPermissionsIn, projectRolePermissions } from '../../contract/accounts/project-permissions'
import { rolePermissions } from '../../contract/core/roles'
import { listJoinedOrganizations } from '../accounts/billing/repository'
import { listProjectRoles } from '../accounts/members/project-roles.repository'
import { listPersonalProjects, listProjects } from '../accounts/projects/repository'
import { findGuestRole } from '../accounts/projects/scope.repository'
import type { Tx } from '../core/database/tx'
import type { User } from '../core/http/actors'
import type { Api } from '../core/http/api'
import { refuse } from '../core/http/refuse'
import type { OrganizationScope, ProjectScope } from '../core/http/scope'

type Organization = Pick<OrganizationScope, 'id' | 'publicId' | 'name' | 'role'>
/** A project with the caller's rights in it. */
export type SeenProject = Pick<ProjectScope, 'id' | 'name' | 'settings'> & {
  organization: Organization | null
  grants: Grants
}
/** The projects and organizations that a caller may see; `isEverything`: their own subscription too. */
export type Seen = { projects: SeenProject[]; organizations: Organization[]; isEverything: boolean }

const ofOrganization = async (tx: Tx, userId: string, organization: Organization): Promise<SeenProject[]> => {
  const roles = await listProjectRoles(tx, organization.id, [userId])
  const rows = await listProjects(tx, { organizationId: organization.id })
  const own = new Map(roles.map(({ projectId, role }) => [projectId, role]))
  const grantsIn = (id: string) => memberPermissionsIn(organization.role, own.get(id) ?? null)
  return rows.map(({ project }) => ({ ...project, organization, grants: grantsIn(project.id) }))
}

const personal = async (tx: Tx, userId: string): Promise<SeenProject[]> => {
  const rows = await listPersonalProjects(tx, userId)
  const grantsIn = async (id: string): Promise<Grants> => {
    const role = await findGuestRole(tx, id, userId)
    return role ? projectRolePermissions[role] : []
  }
  return Promise.all(
    rows.map(async ({ project }) => {
      const grants = project.ownerId === userId ? null : await grantsIn(project.id)
      return { ...project, organization: null, grants }
    }),
  )
}

const everything = async (tx: Tx, user: User): Promise<Seen> => {
  const joined = await listJoinedOrganizations(tx, user.id)
  // Until the second factor is on, its members see nothing of such an organization.
  const open = joined.filter(({ organization: { settings } }) => !settings.require_mfa || user.secondFactor)
  const organizations = open.map(({ organization: { id, publicId, name }, role }) => ({ id, publicId, name, role }))
  const owned = await Promise.all(organizations.map((one) => ofOrganization(tx, user.id, one)))
  return { projects: [...(await personal(tx, user.id)), ...owned.flat()], organizations, isEverything: true }
}

type Asked = { organization_id?: string; project_id?: string }

/** The projects and organizations that a request is about, with the rights of its caller in each. */
export const findSeen = async (
  { rights: { resolveScope, loaders } }: Api,
  tx: Tx,
  user: User,
  { organization_id: organizationId, project_id: projectId }: Asked,
): Promise<Seen> => {
  if (projectId !== undefined) {
    const { project, organization, grants } = await resolveScope({ loaders, tx, scope: inProject, params: { projectId }, user })
    if (!allows(grants, ['project:view'])) refuse(403, 'forbidden', { requiredPermission: 'project:view' })
    return { projects: project ? [{ ...project, organization, grants }] : [], organizations: [], isEverything: false }
  }
  if (organizationId === undefined) return everything(tx, user)
  const { organization } = await resolveScope({ loaders, tx, scope: inOrganization, params: { organizationId }, user })
  const organizations = organization ? [organization] : []
  const projects = await Promise.all(organizations.map((one) => ofOrganization(tx, user.id, one)))
  return { projects: projects.flat(), organizations, isEverything: false }
}

/** What a member may do in the organization itself. */
export const grantsOf = ({ role }: Organization): Grants => rolePermissions[role]
