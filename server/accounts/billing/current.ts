import type { Tx } from '../../core/database/tx'
import type { BillingAccount } from './billing-account'
import { newestInvoices } from './invoices'
import { listSubscriptions, type SubscriptionRow } from './repository'

export type CurrentSubscription = SubscriptionRow & { duplicates: number }

/** The current subscription of an account, with the invoices of all that it had, and the number of others that it pays for. */
export const findSubscription = async (
  tx: Tx,
  account: Pick<BillingAccount, 'kind' | 'id'>,
): Promise<CurrentSubscription | undefined> => {
  const rows = await listSubscriptions(tx, account)
  const current = rows.find(({ isCurrent }) => isCurrent)
  if (!current) return undefined
  const duplicates = rows.filter(({ isCurrent, plan }) => !isCurrent && plan === 'production').length
  return { ...current, invoices: newestInvoices(rows.flatMap(({ invoices }) => invoices)), duplicates }
}
