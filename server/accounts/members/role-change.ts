import type { BaseRole } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import { notFound, refuse } from '../../core/http/refuse'
import { listMemberships, lockMembers } from './repository'
import { roleRefusal } from './rules'

type Ask = { organizationId: string; actorId: string; userId: string; to: BaseRole | null }

/** T-07: checks the change with the current roles, under the organization's lock; concurrent changes run one after another. */
export const requireRoleChange = async (tx: Tx, { organizationId, actorId, userId, to }: Ask): Promise<void> => {
  await lockMembers(tx, organizationId)
  const all = await listMemberships(tx, organizationId)
  const actor = all.find((member) => member.userId === actorId)
  const member = all.find((one) => one.userId === userId)
  if (!actor || !member) notFound()
  const owners = all.filter(({ baseRole }) => baseRole === 'owner').length
  const refusal = roleRefusal({ actor: actor.baseRole, own: actorId === userId, from: member.baseRole, owners }, to)
  if (refusal) refuse(refusal.status, refusal.code, { message: refusal.message })
}
