import { expiryNoticeDays } from '../../../contract/accounts/events'
import { daysBefore } from '../days'
import { idFromText } from '../ids'

type Expiring = { id: string; createdAt: Date; expiresAt: Date }

/** Of something that expires: no earlier notice is due. */
export const longestNoticeDays = Math.max(...expiryNoticeDays)

/** The id of the event that announces the end of something, the same however often it is made; null if none is due yet. */
export const findExpiryEventId = (type: string, { id, createdAt, expiresAt }: Expiring, now: Date): string | null => {
  // One that was made with less time left is not announced for that time.
  const due = expiryNoticeDays.filter((days) => {
    const at = daysBefore(expiresAt, days)
    return at <= now && at > createdAt
  })
  const days = Math.min(...due)
  return due.length === 0 || expiresAt <= now ? null : idFromText(daysBefore(expiresAt, days), `${type} ${id} ${days}`)
}
