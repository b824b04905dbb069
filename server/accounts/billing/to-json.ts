import { and, asc, eq } from 'drizzle-orm'
import { allows } from '../../../contract/permissions'
import { rolePermissions } from '../../../contract/roles'
import type { PlanUsage, Subscription } from '../../../contract/subscriptions'
import type { Config } from '../../core/config'
import { subscriptions } from '../schema/billing'
import { members, organizations } from '../schema/organizations'
import { users } from '../schema/people'
import type { Tx } from '../../core/database/tx'
import { formatTimestampOrNull } from '../../core/timestamps'
import { portalOf } from './stripe'
import { rowOf, type BillingAccount } from './billing-account'
import { limitsOf } from './limits'

/** Counts how much of a plan is used. Passed in, because projects, devices and assets belong to higher domains. */
export type CountPlanUsage = (tx: Tx, space: Pick<BillingAccount, 'kind' | 'id'>) => Promise<PlanUsage>
/** `locked`: the organization requires a second factor that this person has not turned on. */
export type Seen = { space: BillingAccount; manageable: boolean; locked: boolean }

/** The billing accounts that a person sees: their own first, then the organizations by name. */
export const listBillingAccounts = async (tx: Tx, userId: string): Promise<Seen[]> => {
  const [user] = await tx.select().from(users).where(eq(users.id, userId))
  const joined = await tx
    .select({ organization: organizations, role: members.baseRole })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(and(eq(members.userId, userId)))
    .orderBy(asc(organizations.name), asc(organizations.id))
  const own: Seen[] = user
    ? [
        {
          space: { kind: 'user', id: userId, publicId: null, name: user.email, plan: user.pricingPlan },
          manageable: true,
          locked: false,
        },
      ]
    : []
  return own.concat(
    joined.map(({ organization: { id, publicId, name, plan, settings }, role }) => {
      const locked = settings.require_mfa && user?.mfaEnabled !== true
      const manageable = !locked && allows(rolePermissions[role], ['organization:manage_billing'])
      return { space: { kind: 'organization', id, publicId, name, plan }, manageable, locked }
    }),
  )
}

export const subscriptionToJson = async (
  tx: Tx,
  config: Config,
  { space, manageable }: Seen,
  countUsage: CountPlanUsage,
): Promise<Subscription> => {
  const [row] = await tx.select().from(subscriptions).where(rowOf(space))
  return {
    id: row?.id ?? null,
    scope: space.kind === 'user' ? 'personal' : 'organization',
    organization_id: space.publicId,
    name: space.name,
    plan: space.plan,
    state: row?.state ?? 'none',
    price_id: row?.priceId ?? null,
    quantity: row?.quantity ?? 0,
    current_period_end: formatTimestampOrNull(row?.currentPeriodEnd ?? null),
    cancel_at_period_end: row?.cancelAtPeriodEnd ?? false,
    payment_method: (manageable && row?.paymentMethod) || null,
    usage: await countUsage(tx, space),
    limits: limitsOf(space.plan, space),
    manageable,
    portal_url: manageable ? portalOf(config) : null,
    invoices: manageable ? (row?.invoices ?? []) : [],
  }
}
