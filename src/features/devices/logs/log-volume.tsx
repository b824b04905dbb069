import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { countedLines } from '../../../../contract/fleet/device-logs'
import { logVolumeQuery, type VolumeHours } from '../../../api/queries/fleet/device-logs'
import { formatCount } from '../../../lib/amounts'
import { formatClock, formatDate } from '../../../lib/dates'
import { pluralize } from '../../../lib/pluralize'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Segment } from '../../../ui/form/segment'
import { log } from './log.recipe'

const height = 36
const width = 4
const kinds = ['other', 'warning', 'error'] as const
const spans = [
  { value: '1', label: '1 h' },
  { value: '6', label: '6 h' },
  { value: '24', label: '24 h' },
] as const

type Span = { from: number; to: number }
type Props = {
  deviceId: string
  /** The end of the strip; undefined follows the newest line. */
  end: number | undefined
  shown: Span | undefined
  onJump: (at: number) => void
  onSelect: (span: Span) => void
}

/** Where the keys are, and from where Shift selects. */
type Cursor = { at: number; anchor: number }
// Keys of a slider, in bars.
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
}

/** Lines over time. A click or Enter jumps to a time; a drag, or Shift with an arrow, selects a span. */
export const LogVolume = ({ deviceId, end, shown, onJump, onSelect }: Props) => {
  const { api } = useSystem()
  const [hours, setHours] = useState<VolumeHours>('1')
  const [drag, setDrag] = useState<Span | null>(null)
  const [cursor, setCursor] = useState<Cursor | null>(null)
  const { data: volume, error, refetch } = useQuery(logVolumeQuery(api, deviceId, hours, end))
  if (!volume)
    return error ? (
      <div>
        <Button size="small" onClick={() => void refetch()}>
          The volume of lines could not be loaded. Try again
        </Button>
      </div>
    ) : (
      <div className={log.bars} aria-busy />
    )
  const { from, to, step_ms: step, buckets, counted_from: countedFrom } = volume
  const count = Math.round((to - from) / step)
  const xOf = (ms: number) => Math.min(count * width, Math.max(0, ((ms - from) / step) * width))
  const most = Math.max(1, ...buckets.map(({ error, warning, other }) => error + warning + other))
  const paths = { other: '', warning: '', error: '' }
  for (const bucket of buckets) {
    const x = Math.floor((bucket.ts_ms - from) / step) * width
    let top = height
    for (const kind of kinds) {
      if (bucket[kind] === 0) continue
      const size = Math.max(1.5, (bucket[kind] / most) * (height - 2))
      top -= size
      paths[kind] += `M${x} ${top}h${width - 1}v${size}h${1 - width}z`
    }
  }
  const timeOf = (event: PointerEvent<HTMLElement>) => {
    const { left, width: whole } = event.currentTarget.getBoundingClientRect()
    return Math.round(from + ((event.clientX - left) / whole) * (to - from))
  }
  const isInside = shown !== undefined && shown.to > from && shown.from < to
  const last = from + (count - 1) * step
  const barAt = (ms: number) => Math.min(last, Math.max(from, from + Math.floor((ms - from) / step) * step))
  const current = cursor ?? { at: barAt(isInside ? shown.from : last), anchor: barAt(isInside ? shown.from : last) }
  const selected = { from: Math.min(current.at, current.anchor), to: Math.max(current.at, current.anchor) + step }
  const span = drag
    ? { from: Math.min(drag.from, drag.to), to: Math.max(drag.from, drag.to) }
    : cursor
      ? selected
      : isInside
        ? shown
        : undefined
  const press = (event: KeyboardEvent) => {
    const bars = steps[event.key]
    if (bars !== undefined) {
      const at = barAt(Math.min(last, Math.max(from, current.at + bars * step)))
      setCursor({ at, anchor: event.shiftKey ? current.anchor : at })
    } else if (event.key === 'Enter') {
      if (current.at === current.anchor) onJump(current.at)
      else onSelect(selected)
    } else return
    event.preventDefault()
  }
  const times = Array.from({ length: 5 }, (_, n) => new Date(from + ((to - from) * n) / 4))
  const total = buckets.reduce((sum, { error, warning, other }) => sum + error + warning + other, 0)
  const errors = buckets.reduce((sum, { error }) => sum + error, 0)
  const bar = buckets.find(({ ts_ms }) => barAt(ts_ms) === current.at)
  const inBar = pluralize(bar ? bar.error + bar.warning + bar.other : 0, 'line')
  return (
    <figure className={log.volume}>
      <div
        className={log.strip}
        role="slider"
        tabIndex={0}
        aria-label={`${formatCount(total)} lines from ${formatDate(new Date(from))} to ${formatDate(new Date(to))}, ${formatCount(errors)} with errors`}
        aria-valuemin={from}
        aria-valuemax={last}
        aria-valuenow={current.at}
        aria-valuetext={`${formatClock(new Date(current.at))}, ${inBar}`}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && setCursor(current)}
        onBlur={() => setCursor(null)}
        onKeyDown={press}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setCursor(null)
          const at = timeOf(event)
          setDrag({ from: at, to: at })
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: timeOf(event) })}
        onPointerUp={() => {
          if (drag && span) {
            if (span.to - span.from < step) onJump(Math.floor((span.from - from) / step) * step + from)
            else onSelect(span)
          }
          setDrag(null)
        }}
        onPointerCancel={() => setDrag(null)}
      >
        <svg className={log.bars} viewBox={`0 0 ${count * width} ${height}`} preserveAspectRatio="none" aria-hidden>
          {countedFrom !== null && <rect x={0} y={0} width={xOf(countedFrom)} height={height} className={log.uncounted} />}
          {kinds.map((kind) => (
            <path key={kind} d={paths[kind]} className={log[kind]} />
          ))}
          {span && (
            <rect
              x={xOf(span.from)}
              y={0}
              width={Math.max(2, xOf(span.to) - xOf(span.from))}
              height={height}
              className={log.seen}
            />
          )}
        </svg>
      </div>
      <figcaption className={log.axis}>
        {cursor ? (
          <span>
            {formatClock(new Date(current.at))}, {inBar}. Enter opens the log{' '}
            {current.at === current.anchor ? 'there' : 'of this span'}; Shift and an arrow select a span.
          </span>
        ) : (
          times.map((time) => <span key={time.getTime()}>{formatClock(time).slice(0, 5)}</span>)
        )}
      </figcaption>
      <div className={log.spans}>
        <Segment small label="Span of the volume" items={spans} value={hours} onValueChange={setHours} />
        {countedFrom !== null && <span>newest {formatCount(countedLines)} lines counted</span>}
      </div>
    </figure>
  )
}
