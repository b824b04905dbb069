import { enums, type Infer } from 'superstruct'
import { type Permission, permissions } from './permissions'

export const baseRoles = ['owner', 'admin', 'developer', 'operator', 'viewer', 'auditor', 'billing'] as const
export const BaseRole = enums(baseRoles)
export type BaseRole = Infer<typeof BaseRole>

/** Roles of guests in a personal project, and of members who have another role in one project of their organization. */
export const projectRoles = ['maintainer', 'operator', 'viewer'] as const
export const ProjectRole = enums(projectRoles)
export type ProjectRole = Infer<typeof ProjectRole>

const viewer: Permission[] = ['organization:view', 'project:view', 'project:view_audit_log', 'device:view']
const operator: Permission[] = [...viewer, 'project:manage_devices', 'project:approve_releases', 'device:remote_command']
const developer: Permission[] = [
  ...viewer,
  'project:create',
  'project:update',
  'project:manage_devices',
  'project:manage_releases',
  'project:manage_access',
  'device:remote_command',
]

/** The permissions of each base role of an organization. */
export const rolePermissions: Readonly<Record<BaseRole, readonly Permission[]>> = {
  owner: permissions,
  admin: permissions.filter((permission) => permission !== 'organization:delete' && permission !== 'organization:manage_billing'),
  developer,
  operator,
  viewer,
  auditor: [...viewer, 'organization:view_audit_log'],
  billing: ['organization:view', 'organization:manage_billing'],
}

const isOfProject = (permission: Permission) => !permission.startsWith('organization:') && permission !== 'project:create'
const ofProject = (list: readonly Permission[]) => list.filter(isOfProject)

export const projectRolePermissions: Readonly<Record<ProjectRole, readonly Permission[]>> = {
  maintainer: ofProject(developer),
  operator: ofProject(operator),
  viewer: ofProject(viewer),
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

/** The roles that have a permission, for "Roles that have it: …". */
export const rolesWith = (permission: Permission): BaseRole[] =>
  baseRoles.filter((role) => rolePermissions[role].includes(permission))

/** A role may be granted if its permissions are a subset of the granter's. */
export const mayGrant = (granter: BaseRole, role: BaseRole): boolean =>
  granter === 'owner' || rolePermissions[role].every((permission) => rolePermissions[granter].includes(permission))
