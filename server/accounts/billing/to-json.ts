import type { PlanUsage, Subscription } from '../../../contract/accounts/subscriptions'
import type { Config } from '../../core/config'
import { formatTimestampOrNull } from '../../core/timestamps'
import { limitsOf } from './limits'
import type { BillingAccountView } from './list-accounts'
import type { CurrentSubscription } from './current'
import { portalOf } from './stripe'

export const subscriptionToJson = (
  config: Config,
  { space, manageable }: BillingAccountView,
  row: CurrentSubscription | undefined,
  usage: PlanUsage,
): Subscription => ({
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
  duplicates: (manageable && row?.duplicates) || 0,
  payment_method: (manageable && row?.paymentMethod) || null,
  usage,
  limits: limitsOf(space.plan, space),
  manageable,
  portal_url: manageable ? portalOf(config) : null,
  invoices: manageable ? (row?.invoices ?? []) : [],
})
