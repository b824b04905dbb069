import type { Endpoint } from '../../../contract/core/endpoint'
import type { Seats } from '../../../contract/accounts/invites'
import { type Plan } from '../../../contract/accounts/plans'
import { planLimits } from '../../../contract/accounts/plan-limits'
import type { Tx } from '../../core/database/tx'
import type { Call } from '../../core/http/call'
import { refuse } from '../../core/http/refuse'
import { requirePlanCapacity } from '../plan-limit'
import { countGuests, lockGuests } from '../guests/repository'
import { countMembers, lockMembers } from '../members/repository'
import { listPendingSenders, type TargetKey } from './repository'
import { mayStillInvite } from './state'

/** What an invite leads to: an organization, or a personal project. */
export type InviteTarget = TargetKey & { name: string; plan: Plan }

export const organizationTarget = ({ organization: { id, name, plan } }: Call<Endpoint>): InviteTarget => ({
  kind: 'organization',
  id,
  name,
  plan,
})

/** R6: the members of an organization are those of its projects. */
export const projectTarget = ({ project: { id, name, plan, organizationId } }: Call<Endpoint>): InviteTarget => {
  if (organizationId !== null)
    refuse(409, 'organization_owned', { message: 'The members of the organization are the members of this project' })
  return { kind: 'project', id, name, plan }
}

/** Locks the target, so that changes of its invites and members run one after another. */
export const lockTarget = (tx: Tx, { kind, id }: TargetKey): Promise<void> =>
  kind === 'organization' ? lockMembers(tx, id) : lockGuests(tx, id)

const limitOf = { organization: 'members', project: 'guests_per_project' } as const

/** How many seats the plan has and how many are used; open invites count unless their sender may no longer invite. */
export const countSeats = async (tx: Tx, target: InviteTarget, now: Date): Promise<Seats> => {
  const { kind, id, plan } = target
  const taken = await (kind === 'organization' ? countMembers(tx, id) : countGuests(tx, id))
  const senders = (await listPendingSenders(tx, target, now)).filter(mayStillInvite)
  return { plan, limit: planLimits[plan][limitOf[kind]], taken, invited: senders.reduce((sum, { n }) => sum + n, 0) }
}

/** 402 if the plan has no seat left. */
export const requireSeat = async (tx: Tx, target: InviteTarget, now: Date): Promise<void> => {
  const { plan, taken, invited } = await countSeats(tx, target, now)
  requirePlanCapacity(plan, limitOf[target.kind], taken + invited)
}
