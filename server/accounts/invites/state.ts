import type { InviteState } from '../../../contract/accounts/invites'
import { type BaseRole, mayInviteAs, rolePermissions } from '../../../contract/core/roles'
import type { InviteRow, InviteWithTarget } from './repository'

const isBase = (role: string): role is BaseRole => role in rolePermissions

type Sender = Pick<InviteRow, 'organizationId' | 'invitedBy' | 'role'> & {
  inviterRole: BaseRole | null
  /** Of the personal project that the invite leads to. */
  ownerId: string | null
}

/** T-21: whether the inviter may still invite now. */
export const mayStillInvite = ({ organizationId, invitedBy, role, inviterRole, ownerId }: Sender): boolean => {
  if (organizationId === null) return ownerId === invitedBy
  if (inviterRole === null || !isBase(role)) return false
  return mayInviteAs(inviterRole, role)
}

export const stateOf = (found: InviteWithTarget, now: Date): InviteState => {
  const { invite, inviterRole, project } = found
  const { state, expiresAt } = invite
  if (state !== 'pending') return state
  if (!mayStillInvite({ ...invite, inviterRole, ownerId: project?.ownerId ?? null })) return 'revoked'
  return expiresAt <= now ? 'expired' : 'pending'
}

export const nameOf = ({ fullName, email }: { fullName: string; email: string }): string => fullName || email
