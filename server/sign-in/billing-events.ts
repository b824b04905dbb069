import { randomBytes } from 'node:crypto'
import { Stripe } from 'stripe'
import type { SubscriptionRow } from '../accounts/billing/repository'
import type { Deps } from '../core/deps'
import { nextId } from '../core/ids'
import { priceOf, webhookSecret } from '../accounts/billing/stripe'

export const billingActions = ['subscribe', 'cancel', 'resume', 'end', 'fail', 'pay'] as const
export type BillingAction = (typeof billingActions)[number]

type Event = { type: string; object: Record<string, unknown> }

const id = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`
const monthS = 30 * 86_400
const price = { amount: 4900, currency: 'eur' }

type Facts = { reference: string; row: SubscriptionRow | undefined; now: number; priceId: string }

const subscriptionOf = ({ reference, row, now, priceId }: Facts, changes: Record<string, unknown> = {}) => ({
  id: row && row.state !== 'canceled' ? row.providerId : id('sub'),
  object: 'subscription',
  ...(!(row && row.state !== 'canceled') && { created: now }),
  customer: row?.customerId ?? id('cus'),
  status: row && row.state !== 'canceled' && row.state !== 'none' ? row.state : 'active',
  cancel_at_period_end: row?.state === 'canceled' ? false : (row?.cancelAtPeriodEnd ?? false),
  metadata: { space: reference },
  default_payment_method: { card: { brand: 'visa', last4: '4242' } },
  items: { data: [{ price: { id: priceId }, quantity: 1, current_period_end: now + monthS }] },
  ...changes,
})

const invoiceOf = (subscription: { id: string }, now: number, open: string | undefined) => ({
  id: id('in'),
  object: 'invoice',
  number: open ?? `TSL-${randomBytes(3).toString('hex').toUpperCase()}`,
  created: now,
  amount_due: price.amount,
  currency: price.currency,
  hosted_invoice_url: null,
  parent: { subscription_details: { subscription: subscription.id } },
})

/** The events that the provider sends for each action on its page, in its own format and order. */
const eventsOf = (action: BillingAction, facts: Facts): Event[] => {
  const { row, now } = facts
  const present = subscriptionOf(facts)
  const failed = row?.invoices.find(({ state }) => state === 'failed')?.number
  const updated = (changes: Record<string, unknown>): Event => ({
    type: 'customer.subscription.updated',
    object: { ...present, ...changes },
  })
  switch (action) {
    case 'subscribe':
      return [
        { type: 'customer.subscription.created', object: present },
        { type: 'invoice.paid', object: invoiceOf(present, now, undefined) },
      ]
    case 'cancel':
      return [updated({ cancel_at_period_end: true })]
    case 'resume':
      return [updated({ cancel_at_period_end: false })]
    case 'end':
      return [{ type: 'customer.subscription.deleted', object: { ...present, status: 'canceled' } }]
    case 'fail':
      return [{ type: 'invoice.payment_failed', object: invoiceOf(present, now, failed) }, updated({ status: 'past_due' })]
    case 'pay':
      return [{ type: 'invoice.paid', object: invoiceOf(present, now, failed) }, updated({ status: 'active' })]
  }
}

/** Sends events to the API host as the provider would: signed, to its public URL. Throws if they are refused. */
export const sendBillingEvents = async (
  deps: Deps,
  action: BillingAction,
  reference: string,
  row: SubscriptionRow | undefined,
): Promise<void> => {
  const { config, clock, db } = deps
  const secret = await webhookSecret(db, config)
  if (secret === null) throw new Error('no secret')
  const now = Math.floor(clock().getTime() / 1000)
  for (const { type, object } of eventsOf(action, { reference, row, now, priceId: priceOf(config) })) {
    // The id orders the events of one second.
    const payload = JSON.stringify({ id: `evt_${nextId(clock())}`, object: 'event', type, created: now, data: { object } })
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: now })
    const answer = await fetch(`${config.urls.api}/billing/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body: payload,
      signal: AbortSignal.timeout(10_000),
    })
    if (!answer.ok) throw new Error(`the API host answered ${answer.status}`)
  }
}
