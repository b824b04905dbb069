import { type Plan } from '../../contract/plans'
import { planLimits } from '../../contract/plan-limits'
import { refuse } from '../core/http/refuse'

type Limit = keyof (typeof planLimits)['developer']

/** 402 if an amount exceeds the plan. */
export const requirePlanAmount = (plan: Plan, limit: Limit, used: number): void => {
  if (used > planLimits[plan][limit]) requirePlanCapacity(plan, limit, used)
}

/** 402 if one more, or as many as wanted, would exceed the plan; says what the limit is and how much is used. */
export const requirePlanCapacity = (plan: Plan, limit: Limit, used: number, wanted = 1): void => {
  const most = planLimits[plan][limit]
  if (used + wanted <= most) return
  const more = planLimits.production[limit] > most
  refuse(402, 'plan_limit', { about: { limit: most, used, plan }, ...(more && { requiredPlan: 'production' as const }) })
}
