import { formatAhead, parseTime } from '../../lib/dates'
import { formatDuration } from '../../lib/durations'
import { useNow } from '../../ui/time'

/** "in 41 s", or how much it is overdue. */
export const NextCheckIn = ({ at }: { at: string | null }) => {
  const now = useNow()
  if (at === null) return '–'
  const date = parseTime(at)
  const late = Math.floor((now.getTime() - date.getTime()) / 1000)
  return late > 5 ? `overdue ${formatDuration(late)}` : formatAhead(date, now)
}
