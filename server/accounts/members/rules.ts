import { type BaseRole, mayGrant } from '../../../contract/core/roles'

export type RoleRefusal = { status: 403 | 409; code: 'own_role' | 'role_above_own' | 'last_owner'; message: string }

const ownRole: RoleRefusal = { status: 403, code: 'own_role', message: 'You cannot change your own role' }
const above: RoleRefusal = { status: 403, code: 'role_above_own', message: 'This role has more permissions than yours' }
const lastOwner: RoleRefusal = {
  status: 409,
  code: 'last_owner',
  message: 'The last owner cannot leave or change role',
}

type Change = { actor: BaseRole; own: boolean; from: BaseRole; owners: number }

/**
 * Whether `actor` may change a member's role `from` into `to`, or end the membership (`null`). Nobody changes their own role,
 * grants or removes more rights than they have, or leaves an organization without an owner (T-06, T-07).
 */
export const roleRefusal = ({ actor, own, from, owners }: Change, to: BaseRole | null): RoleRefusal | null => {
  if (own) return ownRole
  if (!mayGrant(actor, from) || (to !== null && !mayGrant(actor, to))) return above
  if (from === 'owner' && to !== 'owner' && owners <= 1) return lastOwner
  return null
}
