import { effectiveRole, memberPermissionsIn, projectRolePermissions } from '../../../contract/accounts/project-permissions'
import { rolePermissions } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import { allows } from '../../../contract/core/permissions'
import type { TokenCredential, User } from '../../core/http/actors'
import type { RequestScope, ProjectScope, ResolveScope } from '../../core/http/scope'
import { notFound, Refusal, refuse } from '../../core/http/refuse'
import { findProjectRole } from '../members/project-roles.repository'
import { findGuestRole, findJoinedOrganization, findProjectWithPlan } from './scope.repository'

/** 403 for a member without the second factor that the organization of this name requires. */
export const refuseWithoutFactor = (name: string): never =>
  refuse(403, 'second_factor_required', {
    message: `${name} requires two-step sign-in. Turn it on in your account, under Security`,
  })

const organizationPlace = async (tx: Tx, user: User, by: { id: string } | { publicId: string }): Promise<RequestScope> => {
  const found = await findJoinedOrganization(tx, user.id, by)
  if (!found) return notFound()
  const { id, publicId, name, plan, settings } = found.organization
  if (settings.require_mfa && !user.secondFactor) refuseWithoutFactor(name)
  return {
    organization: { id, publicId, name, plan, role: found.role },
    project: null,
    ownerId: null,
    grants: rolePermissions[found.role],
    role: found.role,
    auditChainId: id,
  }
}

const personalPlace = async (tx: Tx, user: User, project: ProjectScope & { ownerId: string }): Promise<RequestScope> => {
  const place = { organization: null, project, ownerId: project.ownerId, auditChainId: project.ownerId }
  // R7: the owner of a personal project has no permission list and may do everything.
  if (project.ownerId === user.id) return { ...place, grants: null, role: null }
  const role = await findGuestRole(tx, project.id, user.id)
  return role ? { ...place, grants: projectRolePermissions[role], role } : notFound()
}

const projectPlace = async (tx: Tx, user: User, projectId: string): Promise<RequestScope> => {
  const found = await findProjectWithPlan(tx, projectId)
  if (!found) return notFound()
  const { id, name, organizationId, ownerId, settings } = found.project
  if (ownerId !== null)
    return personalPlace(tx, user, { id, name, organizationId: null, ownerId, plan: found.plan ?? 'developer', settings })
  const around = await organizationPlace(tx, user, { id: organizationId ?? '' })
  const { organization } = around
  const plan = organization?.plan ?? 'developer'
  const own = organization && (await findProjectRole(tx, id, user.id))
  const inside = organization && {
    role: effectiveRole(organization.role, own),
    grants: memberPermissionsIn(organization.role, own),
  }
  return { ...around, ...inside, project: { id, name, organizationId, ownerId: null, plan, settings } }
}

const isNotFound = (error: unknown) => error instanceof Refusal && error.status === 404

/** An access token may do what it lists and its maker may do; nothing, if its maker has left the project. */
const tokenPlace = async (
  tx: Tx,
  user: User,
  { projectId, permissions, auditChainId }: TokenCredential,
): Promise<RequestScope> => {
  try {
    const place = await projectPlace(tx, user, projectId)
    return { ...place, grants: permissions.filter((permission) => allows(place.grants, [permission])) }
  } catch (error) {
    const found = isNotFound(error) && (await findProjectWithPlan(tx, projectId))
    if (!found) throw error
    const { project, plan } = found
    const { id, name, organizationId, ownerId, settings } = project
    const scope = { id, name, organizationId, ownerId, plan: plan ?? 'developer', settings }
    return { organization: null, project: scope, ownerId: null, grants: [], role: null, auditChainId }
  }
}

/** The scope of a request; 404 for a user who may not know that it exists. */
export const resolveScope: ResolveScope = async ({ loaders, tx, scope, params, user }) => {
  const id = params[scope.param] ?? ''
  const { credential } = user
  if (credential.kind === 'access_token') {
    const found = scope.from === 'object' ? await loaders[scope.noun]?.(tx, id) : { projectId: id }
    if (scope.param === 'organizationId' || found?.projectId !== credential.projectId) return notFound()
    return { ...(await tokenPlace(tx, user, credential)), ...('ownerId' in found && { ownerId: found.ownerId ?? null }) }
  }
  if (scope.from === 'path')
    return scope.param === 'organizationId' ? organizationPlace(tx, user, { publicId: id }) : projectPlace(tx, user, id)
  const found = await loaders[scope.noun]?.(tx, id)
  if (!found) return notFound()
  const ownerId = found.ownerId ?? null
  if (found.projectId) return { ...(await projectPlace(tx, user, found.projectId)), ownerId }
  if (found.organizationId) return { ...(await organizationPlace(tx, user, { id: found.organizationId })), ownerId }
  if (ownerId !== user.id) return notFound()
  return { organization: null, project: null, ownerId, grants: null, role: null, auditChainId: ownerId }
}
