import { formatAhead } from './dates'
import { formatDuration } from './durations'

/** Seconds in which what is due now is not late yet. */
const tolerance = 5

/** "in 41 s", or how much it is overdue. */
export const formatDue = (date: Date, now: Date): string => {
  const late = Math.floor((now.getTime() - date.getTime()) / 1000)
  return late > tolerance ? `overdue ${formatDuration(late)}` : formatAhead(date, now)
}
