import { formatClock, formatDate, parseTime } from './dates'

/** When a queued command reaches the device, which polls for it. */
export const formatQueuedCommand = (expectedAt: string | null, now: Date): string => {
  if (expectedAt === null) return 'Delivered at the first check-in: this device has never checked in'
  const expected = parseTime(expectedAt)
  const when = Math.abs(expected.getTime() - now.getTime()) < 86_400_000 ? formatClock(expected) : formatDate(expected)
  return expected < now
    ? `Delivered at the next check-in, which was expected by ${when}`
    : `Delivered at the next check-in, expected by ${when}`
}
