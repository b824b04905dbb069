import { is } from 'superstruct'
import type { Invoice } from '../../../contract/accounts/subscriptions'
import { formatTimestamp } from '../../core/timestamps'
import { ProviderInvoice } from './provider'

const kept = 12
const invoiceStates = { 'invoice.paid': 'paid', 'invoice.payment_failed': 'failed', 'invoice.finalized': 'open' } as const
const rank: Record<Invoice['state'], number> = { open: 0, failed: 1, paid: 2 }

/** The invoice of an event, with the provider's id of its subscription. Undefined for other events. */
export const readInvoice = ({ type, object }: { type: string; object: unknown }) => {
  const state = invoiceStates[type as keyof typeof invoiceStates]
  if (state === undefined || !is(object, ProviderInvoice)) return undefined
  const providerId = object.subscription ?? object.parent?.subscription_details?.subscription
  if (!providerId) return undefined
  const url = object.hosted_invoice_url ?? null
  const invoice: Invoice = {
    number: object.number ?? object.id,
    date: formatTimestamp(new Date(object.created * 1000)),
    amount_minor: object.amount_due,
    currency: object.currency,
    state,
    url: url?.startsWith('https://') ? url : null,
  }
  return { providerId, invoice }
}

/** The newest of these invoices. */
export const newestInvoices = (invoices: readonly Invoice[]): Invoice[] =>
  invoices.toSorted((a, b) => b.date.localeCompare(a.date)).slice(0, kept)

/** The invoices with this one. Undefined if it is no news: paid is final, even if earlier attempts are reported later. */
export const withInvoice = (invoices: readonly Invoice[], invoice: Invoice): Invoice[] | undefined => {
  const known = invoices.find(({ number }) => number === invoice.number)
  if (known && rank[known.state] >= rank[invoice.state]) return undefined
  return newestInvoices([invoice, ...invoices.filter(({ number }) => number !== invoice.number)])
}
