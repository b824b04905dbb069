import { and, eq } from 'drizzle-orm'
import type { Scope } from '../../../contract/endpoint'
import type { Grants } from '../../../contract/permissions'
import type { Plan } from '../../../contract/plans'
import { type BaseRole, projectRolePermissions, rolePermissions } from '../../../contract/roles'
import { members, organizations } from '../../accounts/schema/organizations'
import { users } from '../../accounts/schema/people'
import { projectGuests, projects } from '../../accounts/schema/projects'
import type { Tx } from '../database/tx'
import type { User } from './actors'
import type { Api } from './api'
import { notFound, refuse } from './refuse'

/** Where an object of a flat id lives. The most particular one counts: project, organization, owner. */
export type Found = { projectId?: string | null; organizationId?: string | null; ownerId?: string | null }
export type Loader = (tx: Tx, id: string) => Promise<Found | null | undefined>

export type OrganizationPlace = { id: string; publicId: string; name: string; plan: Plan; role: BaseRole }
export type ProjectPlace = {
  id: string
  name: string
  organizationId: string | null
  ownerId: string | null
  /** The plan that its limits come from: the organization's or the owner's (product.md 4.14). */
  plan: Plan
}

/** Where a request happens, as far as its caller may know. */
export type Place = {
  organization: OrganizationPlace | null
  project: ProjectPlace | null
  /** The owner of the object itself, where the object is a person's own. */
  ownerId: string | null
  grants: Grants
  /** Of an organization, of a guest in a personal project, or null for the owner of a personal space. */
  role: string | null
  /** Whose audit chain this is: the organization's id, or the id of the person whose space it is. */
  space: string
}

/** 403 for a member without the second factor that the organization of this name demands. */
export const refuseWithoutFactor = (name: string): never =>
  refuse(403, 'second_factor_required', {
    message: `${name} lets in only those with two-step sign-in. Turn it on in your account, under Security`,
  })

const organizationPlace = async (tx: Tx, user: User, by: { id: string } | { publicId: string }): Promise<Place> => {
  const [found] = await tx
    .select({ organization: organizations, role: members.baseRole })
    .from(organizations)
    .innerJoin(members, and(eq(members.organizationId, organizations.id), eq(members.userId, user.id)))
    .where('id' in by ? eq(organizations.id, by.id) : eq(organizations.publicId, by.publicId))
  if (!found) return notFound()
  const { id, publicId, name, plan, settings } = found.organization
  if (settings.require_mfa && !user.secondFactor) refuseWithoutFactor(name)
  return {
    organization: { id, publicId, name, plan, role: found.role },
    project: null,
    ownerId: null,
    grants: rolePermissions[found.role],
    role: found.role,
    space: id,
  }
}

const personalPlace = async (tx: Tx, user: User, project: ProjectPlace & { ownerId: string }): Promise<Place> => {
  const place = { organization: null, project, ownerId: project.ownerId, space: project.ownerId }
  // R7: the owner of a personal project has no list and may do everything.
  if (project.ownerId === user.id) return { ...place, grants: null, role: null }
  const [guest] = await tx
    .select({ role: projectGuests.role })
    .from(projectGuests)
    .where(and(eq(projectGuests.projectId, project.id), eq(projectGuests.userId, user.id)))
  return guest ? { ...place, grants: projectRolePermissions[guest.role], role: guest.role } : notFound()
}

const projectPlace = async (tx: Tx, user: User, projectId: string): Promise<Place> => {
  const [found] = await tx
    .select({ project: projects, plan: users.pricingPlan })
    .from(projects)
    .leftJoin(users, eq(users.id, projects.ownerId))
    .where(eq(projects.id, projectId))
  if (!found) return notFound()
  const { id, name, organizationId, ownerId } = found.project
  if (ownerId !== null)
    return personalPlace(tx, user, { id, name, organizationId: null, ownerId, plan: found.plan ?? 'developer' })
  const around = await organizationPlace(tx, user, { id: organizationId ?? '' })
  const plan = around.organization?.plan ?? 'developer'
  return { ...around, project: { id, name, organizationId, ownerId: null, plan } }
}

/** The place of a request; 404 for anyone who may not know that it exists. */
export const placeOf = async (api: Api, tx: Tx, scope: Scope, params: Record<string, string>, user: User): Promise<Place> => {
  const id = params[scope.param] ?? ''
  if (scope.from === 'path')
    return scope.param === 'organizationId' ? organizationPlace(tx, user, { publicId: id }) : projectPlace(tx, user, id)
  const found = await api.places.get(scope.noun)?.(tx, id)
  if (!found) return notFound()
  const ownerId = found.ownerId ?? null
  if (found.projectId) return { ...(await projectPlace(tx, user, found.projectId)), ownerId }
  if (found.organizationId) return { ...(await organizationPlace(tx, user, { id: found.organizationId })), ownerId }
  if (ownerId !== user.id) return notFound()
  return { organization: null, project: null, ownerId, grants: null, role: null, space: ownerId }
}
