import { planLimits } from '../../../contract/plan-limits'
import type { Plan } from '../../../contract/plans'
import type { PlanUsage } from '../../../contract/subscriptions'
import type { Tx } from '../../core/database/tx'
import { lockPlan, lockPlanByPublicId, type OrganizationRow, updateOrganization } from '../organizations/repository'
import { lockUser, updateUser, type UserRow } from '../users/repository'
import type { SubscriptionRow } from './repository'

/** Who the plan belongs to: a person, or an organization. */
export type BillingAccount = { kind: 'user' | 'organization'; id: string; publicId: string | null; name: string; plan: Plan }

/** Counts how much of a plan is used. Passed in, because projects, devices and assets belong to higher domains. */
export type CountPlanUsage = (tx: Tx, space: Pick<BillingAccount, 'kind' | 'id'>) => Promise<PlanUsage>

/** The reference of an account at the billing provider: `user:<id>` or `organization:<public id>`. */
export const referenceOf = (space: Pick<BillingAccount, 'kind' | 'id' | 'publicId'>): string =>
  `${space.kind}:${space.publicId ?? space.id}`

const ofUser = (user: UserRow | undefined): BillingAccount | undefined =>
  user && { kind: 'user', id: user.id, publicId: null, name: user.email, plan: user.pricingPlan }

const ofOrganization = (found: OrganizationRow | undefined): BillingAccount | undefined =>
  found && { kind: 'organization', id: found.id, publicId: found.publicId, name: found.name, plan: found.plan }

/** The account of a reference, locked, so that its events are applied one after another. */
export const findBillingAccount = async (tx: Tx, reference: unknown): Promise<BillingAccount | undefined> => {
  const [, kind, id = ''] = /^(user|organization):([\w]{1,40})$/.exec(typeof reference === 'string' ? reference : '') ?? []
  if (kind === undefined) return undefined
  return kind === 'user' ? ofUser(await lockUser(tx, id)) : ofOrganization(await lockPlanByPublicId(tx, id))
}

/** The account of a subscription row. */
export const billingAccountOfRow = async (tx: Tx, { userId, organizationId }: SubscriptionRow) =>
  userId === null ? ofOrganization(await lockPlan(tx, organizationId ?? '')) : ofUser(await lockUser(tx, userId))

/**
 * An organization that keeps its audit log exactly as long as the former plan allows keeps it as long as a higher one does. More days
 * were chosen on a higher plan: they apply again.
 */
const raiseAuditDays = ({ plan: former, settings }: OrganizationRow, plan: Plan): Partial<OrganizationRow> => {
  const most = planLimits[plan].audit_days
  const days = settings.audit_retention_days
  return days !== planLimits[former].audit_days || days >= most ? {} : { settings: { ...settings, audit_retention_days: most } }
}

/** A lower plan deletes no object: its limits refuse new ones. Retention then keeps telemetry and audit entries for its days only. */
export const setPlan = async (tx: Tx, { kind, id }: BillingAccount, plan: Plan, now: Date): Promise<void> => {
  if (kind === 'user') return updateUser(tx, id, { pricingPlan: plan }, now)
  const row = await lockPlan(tx, id)
  if (row) await updateOrganization(tx, id, { plan, ...raiseAuditDays(row, plan) }, now)
}
