import { css } from 'styled-system/css'
import type { LogSummary } from '../../../contract/fleet/log-summaries'
import { pluralize } from '../../lib/pluralize'
import { formatDate, formatExact } from '../../lib/dates'

const W = 4
const H = 32
const strip = css({ display: 'block', w: 'full', h: '32', borderBottom: 'line' })
const axis = css({ display: 'flex', justifyContent: 'space-between', gap: '8', textStyle: 'caption', color: 'muted', mt: '4' })
const fill = {
  error: css({ fill: 'error' }),
  warning: css({ fill: 'warning' }),
  other: css({ fill: 'lineStrong' }),
}
const parts = ['other', 'warning', 'error'] as const

/** Lines over time: errors and warnings are stacked on the others, so that they stay visible. */
export const Volume = ({ timeline }: Pick<LogSummary, 'timeline'>) => {
  const most = Math.max(1, ...timeline.map(({ error, warning, other }) => error + warning + other))
  const words = `Lines over time, at most ${most} per interval`
  const [first, last] = [timeline[0], timeline.at(-1)]
  const ends = [first, last].map((bucket) => bucket && formatDate(new Date(bucket.ts_ms)))
  return (
    <figure>
      <svg className={strip} viewBox={`0 0 ${timeline.length * W} ${H}`} preserveAspectRatio="none" role="img" aria-label={words}>
        {timeline.map((bucket, index) => {
          let top = H
          return (
            <g key={bucket.ts_ms}>
              <title>{`${formatExact(new Date(bucket.ts_ms))}: ${pluralize(bucket.error, 'error')}, ${pluralize(bucket.warning, 'warning')}, ${pluralize(bucket.other, 'other')}`}</title>
              {parts.map((part) => {
                const height = bucket[part] === 0 ? 0 : Math.max(1.5, (bucket[part] / most) * (H - 3))
                top -= height
                return (
                  height > 0 && <rect key={part} x={index * W} y={top} width={W - 1} height={height} className={fill[part]} />
                )
              })}
            </g>
          )
        })}
      </svg>
      <figcaption className={axis} aria-hidden>
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </figcaption>
    </figure>
  )
}
