import type { Ref } from 'react'
import { css } from 'styled-system/css'
import { boxesOf, type DrawnChart, type DrawnEdge, type DrawnNode, headOf, pathOf, pointsOf } from '../../../machines/geometry'

/** The drawn chart: current states are filled, taken transitions are in text color, the last step is the thickest. */
const drawing = css({
  maxW: '[none]',
  '&[data-fit]': { maxW: 'full', maxH: 'full' },
  '& [data-box]': { fill: '[none]', stroke: '{colors.line}' },
  '& [data-box][data-lit]': { stroke: '{colors.info}' },
  '& [data-state]': { fill: 'surface', stroke: '{colors.control}', strokeWidth: '1.2' },
  '& [data-state][data-lit]': { fill: 'info.bg', stroke: '{colors.info}', strokeWidth: '2' },
  '& [data-any]': { fill: '[none]', stroke: '{colors.control}', strokeDasharray: '2 2.5' },
  '& [data-dot]': { fill: 'text' },
  '& [data-patch]': { fill: 'surface' },
  '& text': { fontFamily: 'sans', fontSize: '11px', fill: 'muted' },
  '& [data-name]': { fontFamily: 'mono', fontSize: '12px', fill: 'text', textAnchor: 'middle' },
  '& [data-name][data-lit]': { fill: 'info.text', fontWeight: 'semibold' },
  '& [data-word]': { textAnchor: 'middle' },
  '& [data-line]': {
    fill: '[none]',
    stroke: '{colors.lineStrong}',
    strokeWidth: '1.2',
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
  },
  '& [data-line][data-walked]': { stroke: '{colors.text}' },
  '& [data-line][data-last]': { stroke: '{colors.info}', strokeWidth: '2' },
  '& [data-word][data-taken]': { fill: 'text' },
  '& [data-word][data-last]': { fill: 'info.text' },
})

const when = (told: boolean) => (told ? true : undefined)

const Arrow = ({ edge: { id, sections = [] }, walked, last }: { edge: DrawnEdge; walked: boolean; last: boolean }) =>
  sections.map(pointsOf).map((points, n) => (
    <g key={n} data-arrow={id}>
      <path data-line data-walked={when(walked)} data-last={when(last)} d={pathOf(points)} />
      <path data-line data-walked={when(walked)} data-last={when(last)} d={headOf(points)} />
    </g>
  ))

type WordsProps = { edge: DrawnEdge; last: boolean; countOf: Props['countOf'] }

const Words = ({ edge: { id, labels = [] }, last, countOf }: WordsProps) =>
  labels.map(({ text = '', x = 0, y = 0, width = 0, height = 0 }, n) => (
    <g key={n}>
      <rect data-patch x={x} y={y} width={width} height={height} />
      {text.split('\n').map((event, row) => {
        const count = countOf?.(id, event) ?? 0
        return (
          <text key={row} data-word data-taken={when(count > 0)} data-last={when(last)} x={x + width / 2} y={y + 12 + row * 15}>
            {count > 0 ? `${event} ×${count}` : event}
          </text>
        )
      })}
    </g>
  ))

const Box = ({ node, lit }: { node: DrawnNode; lit: boolean }) => {
  const { x = 0, y = 0, width = 0, height = 0, labels } = node
  const frame = { x, y, width, height }
  const name = labels?.[0]?.text
  if (node.id.endsWith(':dot')) return <circle data-dot cx={x + 4} cy={y + 4} r="4" />
  if (node.id.endsWith(':any'))
    return (
      <>
        <rect data-any {...frame} rx="11" />
        <text data-word x={x + width / 2} y={y + height / 2 + 4}>
          any
        </text>
      </>
    )
  if (node.children)
    return (
      <>
        <rect data-box data-lit={when(lit)} {...frame} rx="6" />
        <text x={x + 12} y={y + 20}>
          {name}
        </text>
      </>
    )
  return (
    <g aria-current={when(lit)} data-id={node.id}>
      <rect data-state data-lit={when(lit)} {...frame} rx="14" />
      <text data-name data-lit={when(lit)} x={x + width / 2} y={y + height / 2 + 4}>
        {name}
      </text>
    </g>
  )
}

type Props = {
  chart: DrawnChart
  label: string
  /** Ids of the active nodes. */
  lit: readonly string[]
  /** Ids of the edges that were taken, and of those of the last step. */
  walked: readonly string[]
  last: readonly string[]
  /** How often an event has taken an edge. */
  countOf?: ((edge: string, event: string) => number) | undefined
  /** Fits into its box; otherwise in full size. */
  fit?: boolean
  ref?: Ref<SVGSVGElement>
}

/** A drawn chart with its current states, the way it took, and its last step. */
export const Statechart = ({ chart, label, lit, walked, last, countOf, fit = false, ref }: Props) => {
  const { width = 0, height = 0, edges = [] } = chart
  const boxes = boxesOf(chart)
  const active = new Set(lit)
  return (
    <svg
      ref={ref}
      role="img"
      aria-label={label}
      className={drawing}
      data-fit={when(fit)}
      viewBox={`0 0 ${Math.ceil(width)} ${Math.ceil(height)}`}
      width={Math.ceil(width)}
      height={Math.ceil(height)}
    >
      {boxes.map((node) => node.children && <Box key={node.id} node={node} lit={active.has(node.id)} />)}
      {edges.map((edge) => (
        <Arrow key={edge.id} edge={edge} walked={walked.includes(edge.id)} last={last.includes(edge.id)} />
      ))}
      {boxes.map((node) => !node.children && <Box key={node.id} node={node} lit={active.has(node.id)} />)}
      {edges.map((edge) => (
        <Words key={edge.id} edge={edge} last={last.includes(edge.id)} countOf={countOf} />
      ))}
    </svg>
  )
}
