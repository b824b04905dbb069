import { type Plan, planLimits } from '../../../contract/plans'
import type { Measures } from '../../../contract/subscriptions'
import type { Space } from './space'

export const limitsOf = (plan: Plan, { kind }: Pick<Space, 'kind'>): Measures => {
  const { organizations: made, projects: own, devices_per_project, members: people, storage_bytes } = planLimits[plan]
  return {
    organizations: kind === 'user' ? made : null,
    projects: own,
    devices_per_project,
    members: kind === 'user' ? null : people,
    storage_bytes,
  }
}
