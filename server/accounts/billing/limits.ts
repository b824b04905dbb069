import { type Plan } from '../../../contract/accounts/plans'
import { planLimits } from '../../../contract/accounts/plan-limits'
import type { PlanUsage } from '../../../contract/accounts/subscriptions'
import type { BillingAccount } from './billing-account'

export const limitsOf = (plan: Plan, { kind }: Pick<BillingAccount, 'kind'>): PlanUsage => {
  const { organizations: made, projects: own, devices_per_project, members: people, storage_bytes } = planLimits[plan]
  return {
    organizations: kind === 'user' ? made : null,
    projects: own,
    devices_per_project,
    members: kind === 'user' ? null : people,
    storage_bytes,
  }
}
