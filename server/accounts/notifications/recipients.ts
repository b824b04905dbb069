import { allows, type Permission } from '../../../contract/core/permissions'
import type { NotificationKind } from './facts'
import type { ProjectPerson } from './people.repository'

/** What a person needs to act on a notification. */
const actingPermission: Partial<Record<NotificationKind, Permission>> = {
  'rollout.approval_requested': 'project:approve_releases',
  // Only those who asked are told.
  'rollout.approved': 'project:view',
  'rollout.denied': 'project:view',
  'rollout.halted': 'project:manage_releases',
  'rollout.waiting_for_user': 'project:manage_releases',
  'rollout.rolled_back': 'project:manage_releases',
  'release.revoked': 'project:manage_releases',
  'key.expiring': 'project:manage_access',
  'access_token.expiring': 'project:manage_access',
  'devices.offline': 'project:manage_devices',
}

/** Whether somebody wants to be told this of a project and may see it, by their rights now. */
export const isTold = (kind: NotificationKind, { grants, level }: Pick<ProjectPerson, 'grants' | 'level'>): boolean => {
  const acting = actingPermission[kind]
  if (acting === undefined || level === 'nothing' || !allows(grants, ['project:view'])) return false
  if (kind === 'devices.offline' && !allows(grants, ['device:view'])) return false
  // An approval is asked of those who can give it, whatever else others want to hear.
  return level === 'all' && kind !== 'rollout.approval_requested' ? true : allows(grants, [acting])
}
