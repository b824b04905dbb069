/**
 * The shapes of `ui/shape` that stand before the text of a cell or of a facet's value, drawn as backgrounds in a box of 12 × 12 px:
 * rows of a long list are rendered while it scrolls, and an element of its own or a clip (`clip-path`, `mask`) costs as much as the
 * rest of the row.
 */
const color = 'var(--kind)'
const sign = '{colors.glyph}'
const px = (n: number) => `${Math.round(n * 100) / 100}px`

/** Half of an edge that is not jagged. */
const soft = 0.35

const disc = (radius: number, at = '50%') =>
  `radial-gradient(circle at ${at} 50%, ${color} ${px(radius - soft)}, transparent ${px(radius + soft)})`

const ring = (radius: number, line: number) => {
  const inner = radius - line / 2
  const outer = radius + line / 2
  return `radial-gradient(circle, transparent ${px(inner - soft)}, ${color} ${px(inner + soft)} ${px(outer - soft)}, transparent ${px(outer + soft)})`
}

/** A line between two corners of the box `x y / w h`. */
const line = (to: 'rising' | 'falling', place: string) =>
  `linear-gradient(to ${to === 'rising' ? 'bottom' : 'top'} right, transparent calc(50% - 1px), ${sign} calc(50% - 0.4px) calc(50% + 0.4px), transparent calc(50% + 1px)) ${place} no-repeat`

const bar = (fill: string, place: string) => `linear-gradient(${fill}, ${fill}) ${place} no-repeat`

/** A square without its corner, for a quarter of an octagon. */
const quarter = (angle: number, at: string) =>
  `linear-gradient(${angle}deg, transparent 1.9px, ${color} 2.3px) ${at} / 5px 5px no-repeat`

const backgrounds: Readonly<Record<string, string[]>> = {
  online: [disc(4)],
  late: [`${disc(3.4, '0')} 100% 0 / 50% 100% no-repeat`, ring(3.4, 1.4)],
  offline: [ring(3.4, 1.4)],
  success: [line('falling', '3px 5.4px / 2.6px 2.8px'), line('rising', '4.9px 3.6px / 4.2px 4.6px'), disc(5)],
  warning: [
    bar(sign, '5.4px 4px / 1.3px 3.5px'),
    bar(sign, '5.4px 8.5px / 1.3px 1.3px'),
    `conic-gradient(from 150.8deg at 50% 0.5px, transparent, ${color} 1deg 57.4deg, transparent 58.4deg) 0 0 / 12px 11px no-repeat`,
  ],
  error: [
    line('falling', '4px 4px / 4px 4px'),
    line('rising', '4px 4px / 4px 4px'),
    quarter(135, '1px 1px'),
    quarter(225, '6px 1px'),
    quarter(45, '1px 6px'),
    quarter(315, '6px 6px'),
  ],
  paused: [bar(sign, '4px 4px / 1.5px 4px'), bar(sign, '6.6px 4px / 1.5px 4px'), disc(5)],
  waiting: [bar(color, '5.5px 3.5px / 1.2px 3.2px'), bar(color, '5.5px 5.7px / 2.6px 1.2px'), ring(4.3, 1.3)],
  none: [bar(color, '2.5px 5px / 7px 1.5px')],
}

/** Rules for an element with `data-shape` and `data-kind`, as in `ui/shape`. `gap`: pixels before its text. */
export const drawnShapes = (gap: number) => ({
  '&[data-shape]::before': { content: '""', display: 'inline-block', flexShrink: 0, verticalAlign: 'middle' },
  '&:not([data-shape=never], [data-shape=running])::before': { w: '12', h: '12', mr: px(gap) },
  ...Object.fromEntries(
    Object.entries(backgrounds).map(([name, layers]) => [`&[data-shape=${name}]::before`, { background: layers.join(', ') }]),
  ),
  '&[data-shape=never]::before': {
    w: '8',
    h: '8',
    ml: '2',
    mr: px(gap + 2),
    border: `1px dashed ${color}`,
    borderRadius: '50%',
  },
  // It stands still: a turn would paint the page in each frame.
  '&[data-shape=running]::before': {
    w: '10',
    h: '10',
    ml: '1',
    mr: px(gap + 1),
    border: `2px solid color-mix(in srgb, ${color} 28%, transparent)`,
    borderTopColor: color,
    borderRadius: '50%',
  },
})

const inText = drawnShapes(6)

/** The same in a line of text, whose middle is lower than that of its capitals. */
export const cellShapes = {
  ...inText,
  '& > svg': { display: 'inline-block', verticalAlign: 'middle', mt: '-2', mr: '6' },
  '&[data-shape]::before': { ...inText['&[data-shape]::before'], mt: '-2' },
}
