import type { Tx } from '../../core/database/tx'
import type { BillingAccount } from './billing-account'
import { newestInvoices } from './invoices'
import { listSubscriptions, type SubscriptionRow } from './repository'

/** The current subscription of an account, with the invoices of all that it had. */
export const findSubscription = async (
  tx: Tx,
  account: Pick<BillingAccount, 'kind' | 'id'>,
): Promise<SubscriptionRow | undefined> => {
  const rows = await listSubscriptions(tx, account)
  const current = rows.find(({ isCurrent }) => isCurrent)
  return current && { ...current, invoices: newestInvoices(rows.flatMap(({ invoices }) => invoices)) }
}
