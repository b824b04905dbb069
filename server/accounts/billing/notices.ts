import { product } from '../../../contract/core/limits'
import { planLimits } from '../../../contract/accounts/plan-limits'
import type { Plan } from '../../../contract/accounts/plans'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { queueMail } from '../../core/mail/queue-mail'
import type { BillingAccount } from './billing-account'
import { listPayers } from './payers.repository'

/** Missing in the news of an invoice. */
type Facts = { plan?: Plan; state?: string }
type Notice = { subject: string; text: string }

const keptText = ({ log_days, metrics_hourly_days, audit_days }: (typeof planLimits)[Plan]) =>
  `log lines of the last ${log_days} days, hourly metrics of the last ${metrics_hourly_days} days, and audit entries of the last ${audit_days} days`

const failed = (name: string): Notice => ({
  subject: `The payment for ${name} failed`,
  text: `The payment for the production plan of ${name} failed. The plan stays while the payment is tried again, and ends when that fails too. Check the card.`,
})

const ended = (name: string): Notice => ({
  subject: `The production plan of ${name} has ended`,
  text: `${name} is on the developer plan now. It keeps ${keptText(planLimits.developer)}: what is older is deleted for good with the next cleaning, within six hours. Projects, devices and releases stay, and new ones above its limits are refused. Buy the plan again to keep more from then on.`,
})

const noticeOf = (name: string, before: Facts, after: Facts): Notice | null => {
  if (before.plan === 'production' && after.plan === 'developer') return ended(name)
  return after.state === 'past_due' && before.state !== 'past_due' ? failed(name) : null
}

/**
 * Mails those who can pay for an account that its payment failed or its plan has ended; the returned function sends. `state` is that
 * of the subscription.
 */
export const noticeOfPlan = async (
  tx: Tx,
  deps: Deps,
  space: BillingAccount,
  { before, after }: { before: Facts; after: Facts },
): Promise<(() => void)[]> => {
  const name = space.kind === 'user' ? 'your account' : space.name
  const notice = noticeOf(name, before, after)
  if (!notice) return []
  const text = `${notice.text}\n\n${deps.config.urls.console}/account/settings/subscriptions\n`
  const sends: (() => void)[] = []
  for (const to of await listPayers(tx, space))
    sends.push(await queueMail(tx, deps, { limited: false, to, subject: `${product.name}: ${notice.subject}`, text }))
  return sends
}
