import type { Deps } from '../../core/deps'
import { daysAfter } from '../../core/days'
import { emitEvents } from '../../core/events/emit'
import { findExpiryEventId, longestNoticeDays } from '../../core/events/expiry'
import { formatTimestamp } from '../../core/timestamps'
import { listExpiringAccessTokens } from './repository'

/** Emits the events of access tokens that expire soon, each once. */
export const announceExpiringTokens = async ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> => {
  const now = clock()
  const found = await listExpiringAccessTokens(db, now, daysAfter(now, longestNoticeDays))
  const made = found.flatMap((token) => {
    const { id, name, projectId, expiresAt } = token
    if (expiresAt === null) return []
    const eventId = findExpiryEventId('access_token.expiring', { ...token, expiresAt }, now)
    const data = { access_token: { id, name }, expires_at: formatTimestamp(expiresAt) }
    return eventId === null ? [] : [{ id: eventId, projectId, type: 'access_token.expiring' as const, data }]
  })
  await emitEvents(db, made, now)
}
