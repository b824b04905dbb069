import { array, enums, type Infer, record, string } from 'superstruct'
import { oneOf } from './rules'

/** §6 names the first seven; the rest follow the same pattern, `scope:what`. */
export const permissions = [
  'organization:view',
  'project:create',
  'project:view',
  'device:view',
  'project:manage_devices',
  'project:update',
  'project:manage_releases',
  'organization:update',
  'organization:delete',
  'organization:manage_members',
  'organization:manage_billing',
  'organization:view_audit_log',
  'project:delete',
  'project:manage_members',
  'project:manage_access',
  'project:approve_releases',
  'project:view_audit_log',
  'device:remote_command',
] as const

export const Permission = enums(permissions)
export type Permission = Infer<typeof Permission>

/** A permission as people read it: "manage releases", "manage members of the organization", "create projects". */
export const permissionWords = (permission: string): string =>
  permission
    .replace(/^(\w+):([a-z]+)$/, '$2 $1s')
    .replace(/^(organization):(.+)/, '$2 of the $1')
    .replace(/^\w+:/, '')
    .replaceAll('_', ' ')

/** R3: the server sends groups, and a plain list is accepted too. `flatten` drops unknown strings of a newer server. */
export const PermissionGroups = oneOf([array(string()), record(string(), array(string()))])
export type PermissionGroups = Infer<typeof PermissionGroups>

const known = new Set<string>(permissions)
const isPermission = (value: string): value is Permission => known.has(value)

/** Groups of permission strings as one unique list (§6). */
export const flatten = (groups: PermissionGroups): Permission[] => [
  ...new Set((Array.isArray(groups) ? groups : Object.values(groups).flat()).filter(isPermission)),
]

/** A unique list as groups by the word before the colon, as in the JSON. */
export const group = (list: readonly Permission[]): Record<string, Permission[]> => {
  const groups: Record<string, Permission[]> = {}
  for (const permission of list) (groups[permission.split(':')[0] ?? ''] ??= []).push(permission)
  return groups
}

/** A caller's permissions: a list, or null for the owner of a personal space, who has no list and may do everything (§5, R7). */
export type Grants = readonly Permission[] | null

/** True if all required permissions are granted. The console shows controls by it, the server decides by it. */
export const allows = (grants: Grants, needs: readonly Permission[] = []): boolean =>
  grants === null || needs.every((need) => grants.includes(need))

/** The missing permissions, for the text at a refused control. */
export const missing = (grants: Grants, needs: readonly Permission[] = []): Permission[] =>
  grants === null ? [] : needs.filter((need) => !grants.includes(need))
