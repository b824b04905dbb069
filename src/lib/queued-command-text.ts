import type { Command } from '../../contract/fleet/device-commands'
import { formatClock, formatDate, parseTime } from './dates'

const formatWhen = (time: Date, now: Date) =>
  Math.abs(time.getTime() - now.getTime()) < 86_400_000 ? formatClock(time) : formatDate(time)

/** When a queued command reaches the device, which polls for it. */
export const formatQueuedCommand = (expectedAt: string | null, now: Date): string => {
  if (expectedAt === null) return 'Delivered at the first check-in: this device has never checked in'
  const expected = parseTime(expectedAt)
  const when = formatWhen(expected, now)
  return expected < now
    ? `Delivered at the next check-in, which was expected by ${when}`
    : `Delivered at the next check-in, expected by ${when}`
}

/** What becomes of a command that was sent. One whose first answer was lost may have been fetched or have ended since. */
export const formatSentCommand = ({ state, expected_at, delivered_at }: Command, now: Date): string => {
  if (state === 'queued') return formatQueuedCommand(expected_at, now)
  return delivered_at === null
    ? `It was sent the first time, and is ${state}`
    : `It was sent the first time: the device fetched it at ${formatWhen(parseTime(delivered_at), now)}`
}
