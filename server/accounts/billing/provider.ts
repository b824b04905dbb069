import { array, boolean, type Infer, integer, is, nullable, number, optional, record, string, type, union } from 'superstruct'
import type { Plan } from '../../../contract/accounts/plans'
import type { SubscriptionState } from '../../../contract/accounts/subscriptions'

const card = type({ card: type({ brand: string(), last4: string() }) })
const Id = type({ id: string() })

/** The fields of a Stripe subscription that are used here. */
export const ProviderSubscription = type({
  id: string(),
  customer: union([string(), Id]),
  created: optional(integer()),
  status: string(),
  cancel_at_period_end: boolean(),
  metadata: record(string(), string()),
  items: type({
    data: array(type({ price: Id, quantity: optional(integer()), current_period_end: optional(nullable(number())) })),
  }),
})
export type ProviderSubscription = Infer<typeof ProviderSubscription>

/** Older API versions name the subscription at the top of an invoice, newer ones under `parent`. */
export const ProviderInvoice = type({
  id: string(),
  number: optional(nullable(string())),
  created: integer(),
  amount_due: integer(),
  currency: string(),
  hosted_invoice_url: optional(nullable(string())),
  subscription: optional(nullable(string())),
  parent: optional(nullable(type({ subscription_details: optional(nullable(type({ subscription: string() }))) }))),
})
export type ProviderInvoice = Infer<typeof ProviderInvoice>

export const idOf = (value: string | { id: string }): string => (typeof value === 'string' ? value : value.id)

export const cardOf = (object: unknown): { brand: string; last4: string } | null => {
  const holder = type({ default_payment_method: card })
  if (!is(object, holder)) return null
  const { brand, last4 } = object.default_payment_method.card
  return { brand, last4 }
}

const states: Readonly<Record<string, SubscriptionState>> = {
  trialing: 'trialing',
  active: 'active',
  past_due: 'past_due',
  // Gives no paid plan until it is paid or resumed: not final as `canceled` is.
  incomplete: 'none',
  unpaid: 'none',
  paused: 'none',
  incomplete_expired: 'canceled',
  canceled: 'canceled',
}
export const stateOf = (status: string): SubscriptionState => states[status] ?? 'none'

/** Keeps the plan for the days in which a failed payment is retried. */
export const planOf = (state: SubscriptionState, priceId: string, production: string): Plan =>
  priceId === production && (state === 'active' || state === 'trialing' || state === 'past_due') ? 'production' : 'developer'
