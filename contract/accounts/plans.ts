import { enums, type Infer } from 'superstruct'

/** §4: developer (rank 0) is below production (rank 1). */
export const plans = ['developer', 'production'] as const
export const Plan = enums(plans)
export type Plan = Infer<typeof Plan>

export const satisfies = (plan: Plan, required: Plan): boolean => plans.indexOf(plan) >= plans.indexOf(required)
