import { shape } from 'styled-system/recipes'
import type { Kind } from '../text/kind'

/** One path in a box of 12 × 12: filled without `line`, which is the width of its stroke; `sign`: in the color of a sign on a shape. */
type Path = { d: string; line?: number; sign?: boolean; dash?: string; opacity?: number }

const circle = (radius: number) =>
  `M${6 - radius} 6a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`
const fill = (d: string): Path => ({ d })
const stroke = (d: string, line: number, dash?: string): Path => ({ d, line, dash })
const sign = (d: string, line: number): Path => ({ d, line, sign: true })

/** Shape first, color second: in grey print nothing is lost. */
const shapes = {
  online: ['success', fill(circle(4))],
  late: ['warning', stroke(circle(3.4), 1.4), fill('M6 2.6a3.4 3.4 0 0 1 0 6.8z')],
  offline: ['neutral', stroke(circle(3.4), 1.4)],
  never: ['quiet', stroke(circle(3.4), 1.4, '1.5 1.6')],
  success: ['success', fill(circle(5)), sign('m3.7 6.2 1.6 1.6 3-3.5', 1.4)],
  error: ['error', fill('M3.9 1h4.2L11 3.9v4.2L8.1 11H3.9L1 8.1V3.9z'), sign('m4.2 4.2 3.6 3.6M7.8 4.2 4.2 7.8', 1.3)],
  warning: ['warning', fill('M6 .9 11.6 10.9H.4z'), stroke('M6 .9 11.6 10.9H.4z', 0.6), sign('M6 4.4v3M6 9.1v.1', 1.3)],
  info: ['info', fill('M3 1h6a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2z'), sign('M6 5.4v3.2M6 3.3v.1', 1.3)],
  running: ['info', { d: circle(4.3), line: 1.8, opacity: 0.28 }, stroke('M6 1.7a4.3 4.3 0 0 1 4.3 4.3', 1.8)],
  waiting: ['neutral', stroke(circle(4.3), 1.3), stroke('M6 3.8V6l1.5 1', 1.2)],
  back: ['warning', stroke('M3 4.2h4.2a2.6 2.6 0 0 1 0 5.2H4M4.8 2.2l-2 2 2 2', 1.4)],
  none: ['quiet', stroke('M2.5 6h7', 1.5)],
  paused: ['warning', fill(circle(5)), sign('M4.7 4.2v3.6M7.3 4.2v3.6', 1.3)],
  notreached: ['quiet', stroke(circle(2), 1.2)],
  draft: ['neutral', stroke(circle(4.3), 1.3, '2 1.7')],
} satisfies Record<string, [Kind, ...Path[]]>

export type ShapeName = keyof typeof shapes

/** The default kind of a shape, for the chip or bar around it. */
export const kindOf = (name: ShapeName): Kind => shapes[name][0]

const drawn: ReadonlySet<ShapeName> = new Set([
  'online',
  'late',
  'offline',
  'never',
  'success',
  'warning',
  'error',
  'paused',
  'waiting',
  'running',
  'none',
])

/** Whether an element of a table or of the facets can draw the shape itself (`theme/cell-shapes.ts`), without a child. */
export const isDrawn = (name: ShapeName): boolean => drawn.has(name)

/** The attributes of an element that draws the shape before its text. */
export const drawnShape = (name: ShapeName): { 'data-shape'?: ShapeName; 'data-kind'?: Kind } =>
  isDrawn(name) ? { 'data-shape': name, 'data-kind': kindOf(name) } : {}

const pathsOf = (name: ShapeName): Path[] => {
  const [, ...paths] = shapes[name]
  return paths
}

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
    {pathsOf(name).map(({ d, line, sign: onShape, dash, opacity }, index) => {
      const color = onShape ? 'var(--colors-glyph)' : 'currentColor'
      return line === undefined ? (
        <path key={index} d={d} fill={color} />
      ) : (
        <path key={index} d={d} stroke={color} strokeWidth={line} strokeDasharray={dash} strokeOpacity={opacity} />
      )
    })}
  </svg>
)
