import { tokenPermissions } from '../../../../contract/accounts/access-tokens'
import { allows, type Grants, type Permission } from '../../../../contract/core/permissions'

export type TokenPermission = (typeof tokenPermissions)[number]

const descriptions: Partial<Record<Permission, string>> = {
  'project:view': 'See the project, its releases and rollouts',
  'device:view': 'See devices, their logs and metrics',
  'project:manage_devices': 'Add, change and remove devices and tags',
  'project:update': 'Change the settings of the project and its secure boot bundles',
  'project:manage_releases': 'Create, upload and sign releases, start and stop rollouts',
  'project:manage_access': 'Import devices together with their tokens',
  'project:approve_releases': 'Approve rollouts that its maker did not request',
  'project:view_audit_log': 'Read the audit log of the project',
  'device:remote_command': 'Send commands to devices',
}
export const describePermission = (permission: Permission): string => descriptions[permission] ?? ''

/** The permissions that a person can give to a token. */
export const givable = (grants: Grants): TokenPermission[] =>
  tokenPermissions.filter((permission) => allows(grants, [permission]))

const lists: Record<'read' | 'release' | 'operate', readonly TokenPermission[]> = {
  read: ['project:view', 'device:view'],
  release: ['project:view', 'project:manage_releases'],
  operate: ['project:view', 'device:view', 'project:manage_devices', 'device:remote_command'],
}

export const presets = [
  { value: 'read', label: 'Read only' },
  { value: 'release', label: 'Release from CI' },
  { value: 'operate', label: 'Device operations' },
  { value: 'all', label: 'Everything I may do' },
  { value: 'chosen', label: 'Chosen one by one' },
] as const
export type Preset = (typeof presets)[number]['value']

/** The permissions of a preset, as far as the person has them. */
export const permissionsOf = (preset: Exclude<Preset, 'chosen'>, grants: Grants): TokenPermission[] =>
  givable(grants).filter((permission) => preset === 'all' || lists[preset].includes(permission))
