import type { LogSummary, SummaryVerdict } from '../../../contract/fleet/log-summaries'
import { pluralize } from '../../lib/pluralize'
import { formatClock, formatDate, parseTime } from '../../lib/dates'
import type { Kind } from '../../ui/text/kind'
import type { ShapeName } from '../../ui/layout/shape'

type VerdictDisplay = { shape: ShapeName; kind?: Kind; word: string }

const looks: Readonly<Record<SummaryVerdict, VerdictDisplay>> = {
  normal: { shape: 'success', word: 'Normal' },
  notable: { shape: 'info', word: 'Notable' },
  problem: { shape: 'warning', word: 'Problem' },
  critical: { shape: 'error', word: 'Critical' },
}
export const verdictDisplay = (verdict: SummaryVerdict): VerdictDisplay => looks[verdict]

/** The time range; the day only once if both ends are on the same one. */
export const formatSpan = ({ from, to }: Pick<LogSummary, 'from' | 'to'>): string => {
  const [start, end] = [formatDate(new Date(from)), formatDate(new Date(to))]
  return start.slice(0, 10) === end.slice(0, 10) ? `${start} – ${end.slice(11)}` : `${start} – ${end}`
}

const dayMs = 86_400_000

/** HH:mm:ss of a line, after the day in a summary of more than one. */
export const formatLineTime = (date: Date, { from, to }: Pick<LogSummary, 'from' | 'to'>): string => {
  const isLong = parseTime(to).getTime() - parseTime(from).getTime() > dayMs
  return isLong ? `${formatDate(date).slice(0, 5)} ${formatClock(date)}` : formatClock(date)
}

export const formatSize = ({ line_count, boot_count, cut }: LogSummary): string =>
  `${pluralize(line_count, 'line')}${cut ? ', newest only' : ''}, ${pluralize(boot_count, 'boot')}`
