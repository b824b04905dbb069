import { eq } from 'drizzle-orm'
import { is } from 'superstruct'
import type { Invoice } from '../../../contract/subscriptions'
import { subscriptions } from '../schema/billing'
import type { Tx } from '../../core/database/tx'
import { newRow, rowUpdate } from '../../core/database/row'
import { formatTimestamp } from '../../core/timestamps'
import { cardOf, idOf, planOf, ProviderInvoice, ProviderSubscription, stateOf } from './provider'
import { rowOf, setPlan, type BillingAccount, findBillingAccount, billingAccountOfRow } from './billing-account'

type Happened = { type: string; object: unknown; at: Date; now: Date; price: string }
type Row = typeof subscriptions.$inferSelect

/** The result of an event for the audit log, or why it was not applied. */
export type Applied =
  | { outcome: 'applied'; space: BillingAccount; before: Partial<Row>; after: Partial<Row> }
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
const isOutdated = (row: Row | undefined, object: ProviderSubscription, at: Date) => {
  if (!row) return false
  if (row.providerId === object.id) return row.state === 'canceled' || at < row.happenedAt
  return at < row.happenedAt
}

const ofSubscription = async (tx: Tx, happened: Happened): Promise<Applied> => {
  const { object, at, now, type } = happened
  if (!is(object, ProviderSubscription)) return { outcome: 'ignored' }
  const space = await findBillingAccount(tx, object.metadata.space)
  if (!space) return { outcome: 'ignored' }
  const [row] = await tx.select().from(subscriptions).where(rowOf(space)).for('update')
  // The end of a subscription that was replaced says nothing about the one that replaced it.
  const foreignEnd = type === 'customer.subscription.deleted' && row !== undefined && row.providerId !== object.id
  if (foreignEnd || isOutdated(row, object, at)) return { outcome: 'outdated' }
  const facts = { ...factsOf(object, happened), paymentMethod: cardOf(object) ?? row?.paymentMethod ?? null, happenedAt: at }
  const owner = space.kind === 'user' ? { userId: space.id } : { organizationId: space.id }
  if (row)
    await tx
      .update(subscriptions)
      .set({ ...facts, ...rowUpdate(now) })
      .where(eq(subscriptions.id, row.id))
  else await tx.insert(subscriptions).values({ ...newRow(now), ...owner, ...facts, invoices: [] })
  if (space.plan !== facts.plan) await setPlan(tx, space, facts.plan, now)
  return { outcome: 'applied', space, before: row ?? { plan: space.plan, state: 'none' }, after: facts }
}

const invoiceStates = { 'invoice.paid': 'paid', 'invoice.payment_failed': 'failed', 'invoice.finalized': 'open' } as const
const rank: Record<Invoice['state'], number> = { open: 0, failed: 1, paid: 2 }

const ofInvoice = async (tx: Tx, { object, type, now }: Happened): Promise<Applied> => {
  if (!is(object, ProviderInvoice)) return { outcome: 'ignored' }
  const providerId = object.subscription ?? object.parent?.subscription_details?.subscription ?? ''
  const [row] = await tx.select().from(subscriptions).where(eq(subscriptions.providerId, providerId)).for('update')
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
  await tx
    .update(subscriptions)
    .set({ invoices, ...rowUpdate(now) })
    .where(eq(subscriptions.id, row.id))
  const space = await billingAccountOfRow(tx, row)
  if (!space) return { outcome: 'ignored' }
  return { outcome: 'applied', space, before: { invoices: row.invoices }, after: { invoices } }
}

/** Applies one verified event that was not applied before. */
export const apply = async (tx: Tx, happened: Happened): Promise<Applied> => {
  if (happened.type.startsWith('customer.subscription.')) return ofSubscription(tx, happened)
  return happened.type in invoiceStates ? ofInvoice(tx, happened) : { outcome: 'ignored' }
}
