import { type Plan } from '../../contract/accounts/plans'
import { planLimits } from '../../contract/accounts/plan-limits'
import { rolesWith } from '../../contract/core/roles'
import { refuse } from '../core/http/refuse'

const GiB = 1024 ** 3
const count = (n: number) => n.toLocaleString('en')
const gigabytes = (bytes: number) => `${Number((bytes / GiB).toFixed(1))} GB`

/** What a plan limits, for one and for several. */
const nouns = {
  organizations: ['organization that you created', 'organizations that you created'],
  projects: ['project', 'projects'],
  devices_per_project: ['device in a project', 'devices in a project'],
  members: ['member', 'members'],
  guests_per_project: ['guest in a project', 'guests in a project'],
  storage_bytes: ['of files', 'of files'],
} as const
type CountedLimit = keyof typeof nouns

const amountOf = (limit: CountedLimit, amount: number) =>
  `${limit === 'storage_bytes' ? gigabytes(amount) : count(amount)} ${nouns[limit][amount === 1 ? 0 : 1]}`

const payingRoles = rolesWith('organization:manage_billing').join(', ')
const payers = `The owner can change the plan under Account, Subscriptions; in an organization, the roles that can: ${payingRoles}.`

const describeLimit = (plan: Plan, limit: CountedLimit, use: string) => {
  const most = planLimits[plan][limit]
  const more = planLimits.production[limit]
  const allowing = more > most ? ` The production plan allows ${amountOf(limit, more)}. ${payers}` : ''
  return `The ${plan} plan allows ${amountOf(limit, most)}, and ${use}.${allowing}`
}

const refuseByPlan = (plan: Plan, limit: CountedLimit, used: number, use: string): void => {
  const most = planLimits[plan][limit]
  refuse(402, 'plan_limit', {
    message: describeLimit(plan, limit, use),
    about: { limit: most, used, plan },
    ...(planLimits.production[limit] > most && { requiredPlan: 'production' as const }),
  })
}

const usedText = (limit: CountedLimit, used: number) => (limit === 'storage_bytes' ? gigabytes(used) : count(used))
const withThis = (limit: CountedLimit, used: number) => `with this it would be ${usedText(limit, used)}`

/** What the plan allows, what is used with this, and who can change the plan. */
export const describePlanLimit = (plan: Plan, limit: CountedLimit, used: number): string =>
  describeLimit(plan, limit, withThis(limit, used))

/** 402 if an amount exceeds the plan: that of what is to be added is in it. */
export const requirePlanAmount = (plan: Plan, limit: CountedLimit, used: number): void => {
  if (used > planLimits[plan][limit]) refuseByPlan(plan, limit, used, withThis(limit, used))
}

/** 402 if one more, or as many as wanted, would exceed the plan. */
export const requirePlanCapacity = (plan: Plan, limit: CountedLimit, used: number, wanted = 1): void => {
  if (used + wanted <= planLimits[plan][limit]) return
  const inUse = `${usedText(limit, used)} ${used === 1 ? 'is' : 'are'} in use`
  refuseByPlan(plan, limit, used, wanted === 1 ? inUse : `${inUse}; ${count(wanted)} more do not fit`)
}
