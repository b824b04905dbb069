import type { InviteState } from '../../../contract/invites'
import { type BaseRole, mayGrant, rolePermissions } from '../../../contract/roles'
import type { InviteWithTarget } from './repository'

const isBase = (role: string): role is BaseRole => role in rolePermissions

/** T-21: whether the inviter may still invite now. */
const stillMay = ({ invite, inviterRole, project }: InviteWithTarget): boolean => {
  if (invite.organizationId === null) return project?.ownerId === invite.invitedBy
  if (inviterRole === null || !isBase(invite.role)) return false
  return rolePermissions[inviterRole].includes('organization:manage_members') && mayGrant(inviterRole, invite.role)
}

export const stateOf = (found: InviteWithTarget, now: Date): InviteState => {
  const { state, expiresAt } = found.invite
  if (state !== 'pending') return state
  if (!stillMay(found)) return 'revoked'
  return expiresAt <= now ? 'expired' : 'pending'
}

export const nameOf = ({ fullName, email }: { fullName: string; email: string }): string => fullName || email
