import { Suspense } from 'react'
import { css } from 'styled-system/css'
import type { MetricGrouping } from '../../../contract/overview/monitor'
import { formatExact } from '../../lib/dates'
import { pluralize } from '../../lib/pluralize'
import { lazyPart } from '../../system/page/lazy'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'
import { IconButton } from '../../ui/icon/icon-button'
import * as Popover from '../../ui/overlay/popover'
import { Select } from '../../ui/form/select'
import { Skeleton } from '../../ui/layout/skeleton'
import type { Zoom } from './zoom'

const MetricChoice = lazyPart(() => import('./metric-choice').then((part) => part.MetricChoice))

const row = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8' })
const box = css({ display: 'grid', gap: '12', w: '320', maxW: 'full', p: '12' })
const zoomed = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4', ml: { md: 'auto' } })
const times = css({ textStyle: 'small', color: 'muted' })

const groupings: { value: MetricGrouping; label: string }[] = [
  { value: 'none', label: 'All devices' },
  { value: 'tag', label: 'By tag' },
  { value: 'model', label: 'By model' },
  { value: 'release', label: 'By version' },
]

type Props = {
  projectId: string
  metrics: readonly string[]
  onMetrics: (names: string[]) => void
  group: MetricGrouping
  onGroup: (group: MetricGrouping) => void
  zoom: Zoom | undefined
  onZoom: (step: 'in' | 'out' | 'earlier' | 'later' | 'whole') => void
}

/** What the charts show: their metrics, the grouping of devices and the range of time. */
export const ChartTools = ({ projectId, metrics, onMetrics, group, onGroup, zoom, onZoom }: Props) => (
  <div className={row} role="group" aria-label="Charts">
    <Popover.Root positioning={{ placement: 'bottom-start' }}>
      <Popover.Trigger asChild>
        <Button size="small">
          {pluralize(metrics.length, 'metric')}
          <Icon name="down" size={14} />
        </Button>
      </Popover.Trigger>
      <Popover.Content aria-label="Metrics">
        <div className={box}>
          <Suspense fallback={<Skeleton />}>
            <MetricChoice projectId={projectId} chosen={metrics} onChoose={onMetrics} />
          </Suspense>
        </div>
      </Popover.Content>
    </Popover.Root>
    <Select small label="Group by" items={groupings} value={group} onValueChange={onGroup} />
    <div className={zoomed}>
      {zoom && (
        <>
          <span className={times} role="status">
            {formatExact(new Date(zoom.from)).slice(0, 22)} to {formatExact(new Date(zoom.to)).slice(0, 22)}
          </span>
          <IconButton size="small" icon="left" label="Earlier" onClick={() => onZoom('earlier')} />
          <IconButton size="small" icon="right" label="Later" onClick={() => onZoom('later')} />
        </>
      )}
      <Button size="small" onClick={() => onZoom('in')}>
        Zoom in
      </Button>
      {zoom && (
        <>
          <Button size="small" onClick={() => onZoom('out')}>
            Zoom out
          </Button>
          <Button size="small" onClick={() => onZoom('whole')}>
            Whole range
          </Button>
        </>
      )}
    </div>
  </div>
)
