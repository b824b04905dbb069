import type { Deps } from '../../core/deps'
import { daysAfter } from '../../core/days'
import { emitEvents } from '../../core/events/emit'
import { findExpiryEventId, longestNoticeDays } from '../../core/events/expiry'
import { formatTimestamp } from '../../core/timestamps'
import { listExpiringKeys } from './repository'

/** Emits the events of signing keys in use that expire soon, each once. */
export const announceExpiringKeys = async ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> => {
  const now = clock()
  const found = await listExpiringKeys(db, now, daysAfter(now, longestNoticeDays))
  const made = found.flatMap((key) => {
    const { id, name, fingerprint, projectId, expiresAt } = key
    if (expiresAt === null) return []
    const eventId = findExpiryEventId('key.expiring', { ...key, expiresAt }, now)
    const data = { key: { id, name, fingerprint }, expires_at: formatTimestamp(expiresAt), reason: null }
    return eventId === null ? [] : [{ id: eventId, projectId, type: 'key.expiring' as const, data }]
  })
  await emitEvents(db, made, now)
}
