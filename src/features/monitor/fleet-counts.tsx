import type { Overview } from '../../../contract/overview/monitor'
import { formatCount, percent } from '../../lib/amounts'
import { connectivityDisplay } from '../../lib/status-display'
import { Status } from '../../ui/text/chip'
import { Figures } from '../../ui/layout/facts'
import { Skeleton } from '../../ui/layout/skeleton'

const labelOf = (state: string) => {
  const { shape, word } = connectivityDisplay(state)
  return <Status shape={shape}>{word}</Status>
}

// Reserves the line of a note that is still loading.
const waiting = '\u00a0'

/** Counts without boxes, each with its share. */
export const FleetCounts = ({ counts }: { counts: Overview['counts'] | undefined }) => {
  const value = (count: number | undefined) =>
    count === undefined ? <Skeleton height="title" width="half" /> : formatCount(count)
  const share = (count: number | undefined) => (counts ? `${percent(count ?? 0, counts.total)} %` : waiting)
  return (
    <Figures
      facts={[
        {
          key: 'total',
          label: 'Devices',
          value: value(counts?.total),
          note: counts ? (counts.never_seen > 0 ? `${formatCount(counts.never_seen)} never seen` : 'enrolled') : waiting,
        },
        { key: 'online', label: labelOf('online'), value: value(counts?.online), note: share(counts?.online) },
        { key: 'late', label: labelOf('late'), value: value(counts?.late), note: share(counts?.late) },
        { key: 'offline', label: labelOf('offline'), value: value(counts?.offline), note: share(counts?.offline) },
        {
          key: 'attention',
          label: <Status shape="warning">Need attention</Status>,
          value: value(counts?.attention),
          note: share(counts?.attention),
        },
      ]}
    />
  )
}
