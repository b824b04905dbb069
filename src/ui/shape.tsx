import type { ReactNode } from 'react'
import { shape } from 'styled-system/recipes'
import type { Kind } from './kind'

const ink = 'currentColor'
const sign = 'var(--colors-glyph)'

/** Shape first, color second: in grey print nothing is lost. */
const shapes = {
  online: ['success', <circle key="a" cx="6" cy="6" r="4" fill={ink} />],
  late: [
    'warning',
    <g key="a" stroke={ink} strokeWidth="1.4">
      <circle cx="6" cy="6" r="3.4" />
      <path d="M6 2.6a3.4 3.4 0 0 1 0 6.8z" fill={ink} stroke="none" />
    </g>,
  ],
  offline: ['neutral', <circle key="a" cx="6" cy="6" r="3.4" stroke={ink} strokeWidth="1.4" />],
  never: ['quiet', <circle key="a" cx="6" cy="6" r="3.4" stroke={ink} strokeWidth="1.4" strokeDasharray="1.5 1.6" />],
  success: [
    'success',
    <g key="a">
      <circle cx="6" cy="6" r="5" fill={ink} />
      <path d="m3.7 6.2 1.6 1.6 3-3.5" stroke={sign} strokeWidth="1.4" />
    </g>,
  ],
  error: [
    'error',
    <g key="a">
      <path d="M3.9 1h4.2L11 3.9v4.2L8.1 11H3.9L1 8.1V3.9z" fill={ink} />
      <path d="m4.2 4.2 3.6 3.6M7.8 4.2 4.2 7.8" stroke={sign} strokeWidth="1.3" />
    </g>,
  ],
  warning: [
    'warning',
    <g key="a">
      <path d="M6 .9 11.6 10.9H.4z" fill={ink} stroke={ink} strokeWidth=".6" />
      <path d="M6 4.4v3M6 9.1v.1" stroke={sign} strokeWidth="1.3" />
    </g>,
  ],
  info: [
    'info',
    <g key="a">
      <rect x="1" y="1" width="10" height="10" rx="2" fill={ink} />
      <path d="M6 5.4v3.2M6 3.3v.1" stroke={sign} strokeWidth="1.3" />
    </g>,
  ],
  running: [
    'info',
    <g key="a" stroke={ink} strokeWidth="1.8">
      <circle cx="6" cy="6" r="4.3" strokeOpacity=".28" />
      <path d="M6 1.7a4.3 4.3 0 0 1 4.3 4.3" />
    </g>,
  ],
  waiting: [
    'neutral',
    <g key="a" stroke={ink}>
      <circle cx="6" cy="6" r="4.3" strokeWidth="1.3" />
      <path d="M6 3.8V6l1.5 1" strokeWidth="1.2" />
    </g>,
  ],
  back: ['warning', <path key="a" d="M3 4.2h4.2a2.6 2.6 0 0 1 0 5.2H4M4.8 2.2l-2 2 2 2" stroke={ink} strokeWidth="1.4" />],
  none: ['quiet', <path key="a" d="M2.5 6h7" stroke={ink} strokeWidth="1.5" />],
  paused: [
    'warning',
    <g key="a">
      <circle cx="6" cy="6" r="5" fill={ink} />
      <path d="M4.7 4.2v3.6M7.3 4.2v3.6" stroke={sign} strokeWidth="1.3" />
    </g>,
  ],
  notreached: ['quiet', <circle key="a" cx="6" cy="6" r="2" stroke={ink} strokeWidth="1.2" />],
  draft: ['neutral', <circle key="a" cx="6" cy="6" r="4.3" stroke={ink} strokeWidth="1.3" strokeDasharray="2 1.7" />],
} satisfies Record<string, [Kind, ReactNode]>

export type ShapeName = keyof typeof shapes

/** The default kind of a shape, for the chip or bar around it. */
export const kindOf = (name: ShapeName): Kind => shapes[name][0]

type Props = { name: ShapeName; kind?: Kind; size?: number; label?: string }

/** A shape before a word; alone it needs `label`. */
export const Shape = ({ name, kind, size = 12, label }: Props) => (
  <svg
    className={shape()}
    width={size}
    height={size}
    viewBox="0 0 12 12"
    data-shape={name}
    data-kind={kind ?? kindOf(name)}
    role={label ? 'img' : undefined}
    aria-label={label}
    aria-hidden={label ? undefined : true}
  >
    {shapes[name][1]}
  </svg>
)
