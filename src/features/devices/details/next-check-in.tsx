import { parseTime } from '../../../lib/dates'
import { formatDue } from '../../../lib/due'
import { useNow } from '../../../ui/text/time'

export const NextCheckIn = ({ at }: { at: string | null }) => {
  const now = useNow()
  return at === null ? '–' : formatDue(parseTime(at), now)
}
