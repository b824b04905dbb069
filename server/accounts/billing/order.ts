import type { SubscriptionRow } from './repository'

type Reported = { at: Date; type: string; id: string; state: SubscriptionRow['state'] }

// Rows from before the types were stored have none.
const isFirst = (type: string) => type === '' || type === 'customer.subscription.created'

/**
 * Whether an event of a subscription is newer than what is known of it. Events arrive late and in any order, and the result must not
 * depend on it: the end is final, and among events of the same second the creation is the first and then the id decides.
 */
export const isNewer = (row: SubscriptionRow, { at, type, id, state }: Reported): boolean => {
  if (row.state === 'canceled') return false
  if (state === 'canceled') return true
  if (at.getTime() !== row.happenedAt.getTime()) return at > row.happenedAt
  if (isFirst(type) !== isFirst(row.eventType)) return isFirst(row.eventType)
  return id > row.eventId
}

const rankOf = ({ plan, state }: SubscriptionRow) => (plan === 'production' ? 2 : state === 'canceled' ? 0 : 1)

/**
 * Which subscription decides the plan of its account: one that gives the paid plan before one that does not, one that has not ended
 * before one that has, and otherwise the newest.
 */
export const chooseCurrent = (rows: readonly SubscriptionRow[]): SubscriptionRow | undefined =>
  rows.toSorted(
    (a, b) => rankOf(b) - rankOf(a) || b.startedAt.getTime() - a.startedAt.getTime() || (a.providerId < b.providerId ? -1 : 1),
  )[0]
