import { is } from 'superstruct'
import type { Invoice } from '../../../contract/accounts/subscriptions'
import type { Tx } from '../../core/database/tx'
import { cardOf, idOf, planOf, ProviderSubscription, stateOf } from './provider'
import { setPlan, type BillingAccount, findBillingAccount, billingAccountOfRow } from './billing-account'
import { readInvoice, withInvoice } from './invoices'
import { chooseCurrent, isNewer } from './order'
import {
  findSubscriptionOfProvider,
  insertSubscription,
  listSubscriptions,
  lockProviderId,
  type SubscriptionRow,
  takeWaitingEvents,
  updateSubscription,
  updateWaitingEvent,
} from './repository'

type Happened = { id: string; type: string; object: unknown; at: Date; now: Date; price: string }

/** The result of an event for the audit log, or why it was not applied. */
export type Applied =
  | { outcome: 'applied'; space: BillingAccount; before: Partial<SubscriptionRow>; after: Partial<SubscriptionRow> }
  | {
      outcome: 'outdated' | 'ignored' | 'waiting'
      unknownAccount?: { reference: string; subscription: string; customer: string }
    }

const earlier = (one: Date, other: Date) => (one < other ? one : other)

const factsOf = (object: ProviderSubscription, { id, type, at, price }: Happened, row: SubscriptionRow | undefined) => {
  const [item] = object.items.data
  const priceId = item?.price.id ?? ''
  const state = type === 'customer.subscription.deleted' ? ('canceled' as const) : stateOf(object.status)
  const end = item?.current_period_end
  const startedAt = object.created === undefined ? earlier(row?.startedAt ?? at, at) : new Date(object.created * 1000)
  return {
    customerId: idOf(object.customer),
    providerId: object.id,
    plan: planOf(state, priceId, price),
    state,
    priceId,
    quantity: item?.quantity ?? 1,
    currentPeriodEnd: end ? new Date(end * 1000) : null,
    cancelAtPeriodEnd: object.cancel_at_period_end,
    startedAt,
    happenedAt: at,
    eventType: type,
    eventId: id,
  }
}

/** The invoices that arrived before their subscription. */
const takeWaitingInvoices = async (tx: Tx, providerId: string): Promise<Invoice[]> => {
  let invoices: Invoice[] = []
  for (const event of await takeWaitingEvents(tx, providerId)) {
    const found = readInvoice(event)
    if (found) invoices = withInvoice(invoices, found.invoice) ?? invoices
  }
  return invoices
}

/** Marks the subscription that decides the plan now, and gives the account that plan. */
const applyCurrent = async (tx: Tx, space: BillingAccount, now: Date): Promise<SubscriptionRow | undefined> => {
  const rows = await listSubscriptions(tx, space)
  const current = chooseCurrent(rows)
  // An account has one current row at most, so the former one goes first.
  for (const { id, isCurrent } of rows)
    if (isCurrent && id !== current?.id) await updateSubscription(tx, id, { isCurrent: false }, now)
  if (current && !current.isCurrent) await updateSubscription(tx, current.id, { isCurrent: true }, now)
  if (current && space.plan !== current.plan) await setPlan(tx, space, current.plan, now)
  return current
}

/** An event for an account that does not exist, such as a deleted organization. Other products of the provider set no reference. */
const withoutAccount = (object: ProviderSubscription): Applied => {
  const { id, customer, status, cancel_at_period_end: ends, metadata } = object
  const { space: reference } = metadata
  if (reference === undefined || ends || stateOf(status) === 'canceled') return { outcome: 'ignored' }
  return { outcome: 'ignored', unknownAccount: { reference, subscription: id, customer: idOf(customer) } }
}

const ofSubscription = async (tx: Tx, happened: Happened): Promise<Applied> => {
  const { object, now } = happened
  if (!is(object, ProviderSubscription)) return { outcome: 'ignored' }
  await lockProviderId(tx, object.id)
  const space = await findBillingAccount(tx, object.metadata.space)
  if (!space) return withoutAccount(object)
  const rows = await listSubscriptions(tx, space)
  const row = rows.find(({ providerId }) => providerId === object.id)
  const facts = factsOf(object, happened, row)
  if (row && !isNewer(row, { ...happened, state: facts.state })) return { outcome: 'outdated' }
  const former = rows.find(({ isCurrent }) => isCurrent)
  const paymentMethod = cardOf(object) ?? (row ?? former)?.paymentMethod ?? null
  if (row) await updateSubscription(tx, row.id, { ...facts, paymentMethod }, now)
  else await insertSubscription(tx, space, { ...facts, paymentMethod, invoices: await takeWaitingInvoices(tx, object.id) }, now)
  const current = await applyCurrent(tx, space, now)
  // What happens to a subscription that another one has replaced is kept, but is no news of the account.
  if (!current || ![former?.providerId, current.providerId].includes(object.id)) return { outcome: 'outdated' }
  return { outcome: 'applied', space, before: former ?? { plan: space.plan, state: 'none', invoices: [] }, after: current }
}

const ofInvoice = async (tx: Tx, { id, object, type, now }: Happened): Promise<Applied> => {
  const found = readInvoice({ type, object })
  if (!found) return { outcome: 'ignored' }
  await lockProviderId(tx, found.providerId)
  const row = await findSubscriptionOfProvider(tx, found.providerId)
  if (!row) {
    await updateWaitingEvent(tx, id, found.providerId, object)
    return { outcome: 'waiting' }
  }
  const space = await billingAccountOfRow(tx, row)
  if (!space) return { outcome: 'ignored' }
  const invoices = withInvoice(row.invoices, found.invoice)
  if (!invoices) return { outcome: 'outdated' }
  await updateSubscription(tx, row.id, { invoices }, now)
  return { outcome: 'applied', space, before: { invoices: row.invoices }, after: { invoices } }
}

/** Applies one verified event that was not applied before. */
export const apply = (tx: Tx, happened: Happened): Promise<Applied> =>
  happened.type.startsWith('customer.subscription.') ? ofSubscription(tx, happened) : ofInvoice(tx, happened)
