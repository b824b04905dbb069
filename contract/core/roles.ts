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

/** The roles that have a permission, for "Roles that have it: …". */
export const rolesWith = (permission: Permission): BaseRole[] =>
  baseRoles.filter((role) => rolePermissions[role].includes(permission))

/** A role may be granted if its permissions are a subset of the granter's. */
export const mayGrant = (granter: BaseRole, role: BaseRole): boolean =>
  granter === 'owner' || rolePermissions[role].every((permission) => rolePermissions[granter].includes(permission))

/** A role that may manage members invites people with the roles that it may grant. */
export const mayInviteAs = (inviter: BaseRole, role: BaseRole): boolean =>
  rolePermissions[inviter].includes('organization:manage_members') && mayGrant(inviter, role)
