import { planLimits } from '../../../contract/accounts/plan-limits'
import type { Plan } from '../../../contract/accounts/plans'
import type { PlanUsage } from '../../../contract/accounts/subscriptions'
import type { Tx } from '../../core/database/tx'
import { lockPlan, lockPlanByPublicId, type OrganizationRow, updateOrganization } from '../organizations/repository'
import { lockUser, updateUser, type UserRow } from '../users/repository'
import { append } from '../../core/audit/chain'
import { listWithoutSubscription, type SubscriptionRow } from './repository'

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

const setOrganizationPlan = async (tx: Tx, row: OrganizationRow | undefined, plan: Plan, now: Date): Promise<void> => {
  if (row) await updateOrganization(tx, row.id, { plan, ...raiseAuditDays(row, plan) }, now)
}

/** The audit entry of an organization whose plan follows that of a person. */
const recordPlan = (tx: Tx, { id, publicId, name, plan: before }: OrganizationRow, after: Plan, now: Date): Promise<void> =>
  append(tx, {
    chainId: id,
    occurredAt: now,
    action: 'subscription.change',
    result: 'success',
    actor: { kind: 'system', id: null, name: 'billing', email: null },
    credential: { kind: 'system', id: null },
    sourceIp: null,
    userAgent: null,
    requestId: 'job',
    projectId: null,
    target: { kind: 'subscription', id: publicId, name },
    changes: [{ field: 'plan', before, after }],
    reason: 'It has no subscription of its own, and the plan of the person who created it changed',
  })

/**
 * A lower plan deletes no object: its limits refuse new ones. Retention then keeps telemetry and audit entries for its days only. An
 * organization that never had a subscription of its own was made on the plan of a person, and follows it.
 */
export const setPlan = async (tx: Tx, { kind, id }: BillingAccount, plan: Plan, now: Date): Promise<void> => {
  if (kind === 'organization') return setOrganizationPlan(tx, await lockPlan(tx, id), plan, now)
  await updateUser(tx, id, { pricingPlan: plan }, now)
  // In the order of their ids, as every other change that locks several.
  for (const organizationId of await listWithoutSubscription(tx, id)) {
    const row = await lockPlan(tx, organizationId)
    if (!row || row.plan === plan) continue
    await setOrganizationPlan(tx, row, plan, now)
    await recordPlan(tx, row, plan, now)
  }
}
