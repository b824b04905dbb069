import { formatClock, formatDate, parseTime } from '../../lib/dates'

/** When a queued command reaches the device: it is fetched, never pushed. */
export const queuedWords = (expectedAt: string | null, now: Date): string => {
  if (expectedAt === null) return 'Delivered at its first check-in: this device has not been heard yet'
  const expected = parseTime(expectedAt)
  const when = Math.abs(expected.getTime() - now.getTime()) < 86_400_000 ? formatClock(expected) : formatDate(expected)
  return expected < now
    ? `Delivered when it checks in again: it was expected by ${when}`
    : `Delivered at the next check-in, expected by ${when}`
}
