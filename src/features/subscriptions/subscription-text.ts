import { planLimits } from '../../../contract/accounts/plan-limits'
import type { Subscription } from '../../../contract/accounts/subscriptions'
import { formatBytes } from '../../lib/bytes'
import { formatCount } from '../../lib/amounts'
import { formatDate, parseTime } from '../../lib/dates'
import type { ShapeName } from '../../ui/layout/shape'

type State = { shape: ShapeName; word: string }

/** State = word, colon, reason. The plan may be production without a subscription. */
export const stateOf = ({ state, plan, cancel_at_period_end: ends }: Subscription): State => {
  if (state === 'past_due') return { shape: 'error', word: 'Past due: the last payment failed' }
  if (state === 'active' || state === 'trialing')
    return ends
      ? { shape: 'warning', word: 'Active until the end of the period' }
      : { shape: 'success', word: state === 'active' ? 'Active' : 'Trial' }
  if (state === 'canceled') return { shape: 'none', word: 'Ended' }
  return plan === 'production' ? { shape: 'success', word: 'Included' } : { shape: 'none', word: 'None' }
}

const { log_days: logs, metrics_raw_days: raw, metrics_hourly_days: hourly, audit_days: audit } = planLimits.developer
const ended = `Then logs are deleted after ${logs} days, metrics after ${raw} (hourly ones after ${hourly}) and audit entries after ${audit}, for good: export the audit log before. Nothing else is deleted and devices keep getting updates. New items are limited by the plan.`

const followers = 'It applies to the organizations that you created too, if they never had a subscription of their own.'

/** Shown where it matters, before anything is deleted or refused. */
export const noteOf = ({
  state,
  cancel_at_period_end: ends,
  plan,
  scope,
}: Pick<Subscription, 'state' | 'cancel_at_period_end' | 'plan' | 'scope'>): string | undefined => {
  const all = scope === 'personal' ? `${ended} ${followers}` : ended
  if (state === 'past_due')
    return `The last payment failed and is retried for some days. Pay it in the billing portal to keep the production plan; otherwise the developer plan applies. ${all}`
  if (ends && plan === 'production') return `The developer plan applies after this period. ${all}`
  return undefined
}

/** What a second checkout has bought, which gives nothing more. */
export const duplicatesText = ({ duplicates }: Pick<Subscription, 'duplicates'>): string | undefined => {
  if (duplicates === 0) return undefined
  const [more, it] = duplicates === 1 ? ['one more subscription', 'it'] : [`${duplicates} more subscriptions`, 'them']
  return `Pays for ${more} at the same time, without getting more. Cancel ${it} in the billing portal.`
}

const day = (time: string) => formatDate(parseTime(time)).slice(0, 10)

export const periodOf = ({
  state,
  current_period_end: end,
  cancel_at_period_end: ends,
}: Subscription): { label: string; value: string } =>
  end === null || state === 'none' || state === 'canceled'
    ? { label: 'Renews', value: '–' }
    : { label: ends ? 'Ends' : 'Renews', value: day(end) }

const brands: Readonly<Record<string, string>> = { visa: 'Visa', mastercard: 'Mastercard', amex: 'American Express' }
export const cardOf = ({ payment_method: card }: Subscription): string =>
  card === null ? '–' : `${brands[card.brand] ?? card.brand} ending in ${card.last4}`

/** Minor units by the currency's own rules: 4900 of eur are €49.00, of jpy ¥4,900. */
export const formatMoney = (minor: number, currency: string): string => {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() })
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

export type Measure = { label: string; used: number; limit: number; words: string; over: boolean }

const rows = [
  ['Projects', 'projects', formatCount],
  ['Organizations', 'organizations', formatCount],
  ['Members', 'members', formatCount],
  ['Devices in the largest project', 'devices_per_project', formatCount],
  ['Storage', 'storage_bytes', formatBytes],
] as const

/** Use and limit of everything that this account can have. */
export const measuresOf = ({ usage, limits }: Subscription): Measure[] =>
  rows.flatMap(([label, key, format]) => {
    const [used, limit] = [usage[key], limits[key]]
    if (used === null || limit === null) return []
    return [{ label, used, limit, words: `${format(used)} of ${format(limit)}`, over: used >= limit }]
  })
