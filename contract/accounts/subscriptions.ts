import { array, boolean, enums, type Infer, integer, nullable, object, optional, string, type, unknown } from 'superstruct'
import { publicAccess, endpoint, session } from '../core/endpoint'
import { Plan } from './plans'
import { pattern } from '../core/rules'
import { Id, PublicId, Timestamp } from '../core/shapes'

export const subscriptionStates = ['none', 'trialing', 'active', 'past_due', 'canceled'] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

export const Invoice = type({
  number: string(),
  date: Timestamp,
  amount_minor: integer(),
  currency: string(),
  state: enums(['paid', 'open', 'failed']),
  url: nullable(string()),
})
export type Invoice = Infer<typeof Invoice>

/** What a plan counts. Null where it does not apply: an organization has no organizations. */
const measures = type({
  organizations: nullable(integer()),
  projects: integer(),
  /** Of the project with the most devices. */
  devices_per_project: integer(),
  members: nullable(integer()),
  storage_bytes: integer(),
})
export type PlanUsage = Infer<typeof measures>

export const Subscription = type({
  /** Null if there was never a subscription. */
  id: nullable(Id),
  scope: enums(['personal', 'organization']),
  organization_id: nullable(PublicId),
  name: string(),
  plan: Plan,
  state: enums(subscriptionStates),
  price_id: nullable(string()),
  quantity: integer(),
  current_period_end: nullable(Timestamp),
  cancel_at_period_end: boolean(),
  /** Other subscriptions that the account pays for at the same time, which gives it nothing more. */
  duplicates: integer(),
  /** Only for people who manage its billing. */
  payment_method: nullable(type({ brand: string(), last4: string() })),
  usage: measures,
  limits: measures,
  manageable: boolean(),
  portal_url: nullable(string()),
  invoices: array(Invoice),
})
export type Subscription = Infer<typeof Subscription>

export const subscriptions = endpoint({
  method: 'GET',
  path: '/subscriptions',
  summary: "List the plans of the caller's personal space and organizations, with their usage.",
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: type({ subscriptions: array(Subscription) }),
})

// T-08: only a path of the console.
const path = pattern('path', /^\/(?![/\\])[\w\-./~?=&%]{0,512}$/, 'Enter a path of the console')

export const createCheckout = endpoint({
  method: 'POST',
  path: '/subscriptions/checkout',
  summary: 'Get the address where the caller subscribes, for the personal space or an organization whose billing they manage.',
  needs: session,
  audit: 'subscription.checkout',
  rate: 'write',
  body: object({
    organization_id: nullable(PublicId),
    price_id: optional(string()),
    success_path: path,
    cancel_path: path,
  }),
  answer: type({ url: string() }),
})

/** An event as Stripe sends it; `object` depends on its type and is validated later. */
export const BillingEvent = type({
  id: pattern('event', /^evt_\w{1,250}$/, 'This is not an event'),
  type: string(),
  created: integer(),
  data: type({ object: unknown() }),
})

export const receiveBillingEvent = endpoint({
  method: 'POST',
  path: '/billing/events',
  summary: 'Receive Stripe events: the signature covers the bytes, each event counts once, in the order of event time.',
  needs: publicAccess,
  audit: 'subscription.change',
  rate: 'write',
  accepts: 'signed',
  /** `waiting`: for the subscription of the invoice, which is not known yet. */
  answer: type({ outcome: enums(['applied', 'repeated', 'outdated', 'ignored', 'waiting']) }),
})
