import type { Permission } from '../core/permissions'
import { type BaseRole, type ProjectRole, rolePermissions } from '../core/roles'

const isOfProject = (permission: Permission) => !permission.startsWith('organization:') && permission !== 'project:create'
const ofProject = (list: readonly Permission[]) => list.filter(isOfProject)

/** The permissions of each role in a project. */
export const projectRolePermissions: Readonly<Record<ProjectRole, readonly Permission[]>> = {
  maintainer: ofProject(rolePermissions.developer),
  operator: ofProject(rolePermissions.operator),
  viewer: ofProject(rolePermissions.viewer),
}

/** Owners and admins have all rights in every project: they could take any other role there away again. */
export const hasEveryProject = (role: BaseRole): boolean => rolePermissions[role].includes('organization:manage_members')

/** The role that a member has in a project: their own one there, or else that of the organization. */
export const effectiveRole = (role: BaseRole, inProject: ProjectRole | null): BaseRole | ProjectRole =>
  inProject === null || hasEveryProject(role) ? role : inProject

/** What a member may do in a project: their role there replaces the rights of their organization role in projects only. */
export const memberPermissionsIn = (role: BaseRole, inProject: ProjectRole | null): readonly Permission[] => {
  if (inProject === null || hasEveryProject(role)) return rolePermissions[role]
  return [...rolePermissions[role].filter((permission) => !isOfProject(permission)), ...projectRolePermissions[inProject]]
}
