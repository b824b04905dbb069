import { is } from 'superstruct'
import type { Invoice } from '../../../contract/subscriptions'
import type { Tx } from '../../core/database/tx'
import { formatTimestamp } from '../../core/timestamps'
import { cardOf, idOf, planOf, ProviderInvoice, ProviderSubscription, stateOf } from './provider'
import { setPlan, type BillingAccount, findBillingAccount, billingAccountOfRow } from './billing-account'
import {
  insertSubscription,
  lockSubscription,
  lockSubscriptionOfProvider,
  type SubscriptionRow,
  updateSubscription,
} from './repository'

type Happened = { type: string; object: unknown; at: Date; now: Date; price: string }

/** The result of an event for the audit log, or why it was not applied. */
export type Applied =
  | { outcome: 'applied'; space: BillingAccount; before: Partial<SubscriptionRow>; after: Partial<SubscriptionRow> }
  | { outcome: 'outdated' | 'ignored' }

const kept = 12

const factsOf = (object: ProviderSubscription, { type, price }: Happened) => {
  const [item] = object.items.data
  const priceId = item?.price.id ?? ''
  const state = type === 'customer.subscription.deleted' ? ('canceled' as const) : stateOf(object.status)
  const end = item?.current_period_end
  return {
    customerId: idOf(object.customer),
    providerId: object.id,
    plan: planOf(state, priceId, price),
    state,
    priceId,
    quantity: item?.quantity ?? 1,
    currentPeriodEnd: end ? new Date(end * 1000) : null,
    cancelAtPeriodEnd: object.cancel_at_period_end,
  }
}

/**
 * Events arrive late and in any order: of one subscription the newest counts, its end is final, and a newer subscription
 * replaces it.
 */
const isOutdated = (row: SubscriptionRow | undefined, object: ProviderSubscription, at: Date) => {
  if (!row) return false
  if (row.providerId === object.id) return row.state === 'canceled' || at < row.happenedAt
  return at < row.happenedAt
}

const ofSubscription = async (tx: Tx, happened: Happened): Promise<Applied> => {
  const { object, at, now, type } = happened
  if (!is(object, ProviderSubscription)) return { outcome: 'ignored' }
  const space = await findBillingAccount(tx, object.metadata.space)
  if (!space) return { outcome: 'ignored' }
  const row = await lockSubscription(tx, space)
  // The end of a subscription that was replaced says nothing about the one that replaced it.
  const foreignEnd = type === 'customer.subscription.deleted' && row !== undefined && row.providerId !== object.id
  if (foreignEnd || isOutdated(row, object, at)) return { outcome: 'outdated' }
  const facts = { ...factsOf(object, happened), paymentMethod: cardOf(object) ?? row?.paymentMethod ?? null, happenedAt: at }
  if (row) await updateSubscription(tx, row.id, facts, now)
  else await insertSubscription(tx, space, facts, now)
  if (space.plan !== facts.plan) await setPlan(tx, space, facts.plan, now)
  return { outcome: 'applied', space, before: row ?? { plan: space.plan, state: 'none' }, after: facts }
}

const invoiceStates = { 'invoice.paid': 'paid', 'invoice.payment_failed': 'failed', 'invoice.finalized': 'open' } as const
const rank: Record<Invoice['state'], number> = { open: 0, failed: 1, paid: 2 }

const ofInvoice = async (tx: Tx, { object, type, now }: Happened): Promise<Applied> => {
  if (!is(object, ProviderInvoice)) return { outcome: 'ignored' }
  const providerId = object.subscription ?? object.parent?.subscription_details?.subscription ?? ''
  const row = await lockSubscriptionOfProvider(tx, providerId)
  const state = invoiceStates[type as keyof typeof invoiceStates]
  if (!row || state === undefined) return { outcome: 'ignored' }
  const number = object.number ?? object.id
  const known = row.invoices.find((one) => one.number === number)
  // Paid is final, even if earlier attempts are reported later.
  if (known && rank[known.state] >= rank[state]) return { outcome: 'outdated' }
  const url = object.hosted_invoice_url ?? null
  const invoice: Invoice = {
    number,
    date: formatTimestamp(new Date(object.created * 1000)),
    amount_minor: object.amount_due,
    currency: object.currency,
    state,
    url: url?.startsWith('https://') ? url : null,
  }
  const invoices = [invoice, ...row.invoices.filter((one) => one.number !== number)]
    .toSorted((a, b) => b.date.localeCompare(a.date))
    .slice(0, kept)
  await updateSubscription(tx, row.id, { invoices }, now)
  const space = await billingAccountOfRow(tx, row)
  if (!space) return { outcome: 'ignored' }
  return { outcome: 'applied', space, before: { invoices: row.invoices }, after: { invoices } }
}

/** Applies one verified event that was not applied before. */
export const apply = async (tx: Tx, happened: Happened): Promise<Applied> => {
  if (happened.type.startsWith('customer.subscription.')) return ofSubscription(tx, happened)
  return happened.type in invoiceStates ? ofInvoice(tx, happened) : { outcome: 'ignored' }
}
