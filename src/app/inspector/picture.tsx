import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api'
import { useEffect, useRef, useState } from 'react'
import { boxesOf, headOf, pathOf, pointsOf } from '../../../machines/draw/geometry'
import type { AnyStateMachine } from 'xstate'
import { inspector, drawing } from './inspector.recipe'
import type { Chart } from './recorder'

/** Each layout is computed once; the library loads with the first one. */
const layouts = new Map<string, Promise<ElkNode>>()
const layoutOf = (machine: AnyStateMachine) => {
  const known = layouts.get(machine.id)
  const layout = known ?? import('../../../machines/draw/layout').then((it) => it.layoutOf(machine))
  layouts.set(machine.id, layout)
  return layout
}

const when = (told: boolean) => (told ? true : undefined)

const Arrow = ({ edge: { id, sections = [] }, walked, last }: { edge: ElkExtendedEdge; walked: boolean; last: boolean }) =>
  sections.map(pointsOf).map((points, n) => (
    <g key={n} data-arrow={id}>
      <path data-line data-walked={when(walked)} data-last={when(last)} d={pathOf(points)} />
      <path data-line data-walked={when(walked)} data-last={when(last)} d={headOf(points)} />
    </g>
  ))

const Words = ({ edge: { labels = [] }, last }: { edge: ElkExtendedEdge; last: boolean }) =>
  labels.map(({ text = '', x = 0, y = 0, width = 0, height = 0 }, n) => (
    <g key={n}>
      <rect data-patch x={x} y={y} width={width} height={height} />
      {text.split('\n').map((line, row) => (
        <text key={row} data-word data-last={when(last)} x={x + width / 2} y={y + 12 + row * 15}>
          {line}
        </text>
      ))}
    </g>
  ))

const Box = ({ node, lit }: { node: ElkNode; lit: boolean }) => {
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

/** A chart with its current states, its path so far, and its last step. In full size it scrolls to the current states. */
export const Picture = ({ machine, chart, whole }: { machine: AnyStateMachine; chart: Chart; whole: boolean }) => {
  const [drawn, setDrawn] = useState<{ machine: AnyStateMachine; layout: ElkNode }>()
  const svg = useRef<SVGSVGElement>(null)
  useEffect(() => {
    let current = true
    void layoutOf(machine).then((layout) => current && setDrawn({ machine, layout }))
    return () => {
      current = false
    }
  }, [machine])
  const layout = drawn?.machine.id === machine.id ? drawn.layout : undefined
  const present = chart.lit.join()
  useEffect(() => {
    if (!whole && layout && present)
      svg.current?.querySelector('[data-state][data-lit]')?.scrollIntoView({ block: 'center', inline: 'center' })
  }, [whole, layout, present])
  if (!layout) return <p className={inspector.empty}>Drawing {chart.name} …</p>
  const { width = 0, height = 0, edges = [] } = layout
  const boxes = boxesOf(layout)
  const lit = new Set(chart.lit)
  return (
    <div className={inspector.picture} data-fit={when(whole)}>
      <svg
        ref={svg}
        role="img"
        aria-label={`${chart.name}: ${chart.states.join(', ')}`}
        className={drawing}
        data-fit={when(whole)}
        viewBox={`0 0 ${Math.ceil(width)} ${Math.ceil(height)}`}
        width={Math.ceil(width)}
        height={Math.ceil(height)}
      >
        {boxes.map((node) => node.children && <Box key={node.id} node={node} lit={lit.has(node.id)} />)}
        {edges.map((edge) => (
          <Arrow key={edge.id} edge={edge} walked={chart.walked.includes(edge.id)} last={chart.last.includes(edge.id)} />
        ))}
        {boxes.map((node) => !node.children && <Box key={node.id} node={node} lit={lit.has(node.id)} />)}
        {edges.map((edge) => (
          <Words key={edge.id} edge={edge} last={chart.last.includes(edge.id)} />
        ))}
      </svg>
    </div>
  )
}
