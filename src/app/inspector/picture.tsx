import type { ElkNode } from 'elkjs/lib/elk-api'
import { useEffect, useRef, useState } from 'react'
import type { AnyStateMachine } from 'xstate'
import { Statechart } from '../../ui/chart/statechart'
import { inspector } from './inspector.recipe'
import type { Chart } from './recorder'

/** Each layout is computed once; the library loads with the first one. */
const layouts = new Map<string, Promise<ElkNode>>()
const layoutOf = (machine: AnyStateMachine) => {
  const known = layouts.get(machine.id)
  const layout = known ?? import('../../../machines/draw/layout').then((it) => it.layoutOf(machine))
  layouts.set(machine.id, layout)
  return layout
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
  return (
    <div className={inspector.picture} data-fit={whole || undefined}>
      <Statechart
        ref={svg}
        chart={layout}
        label={`${chart.name}: ${chart.states.join(', ')}`}
        lit={chart.lit}
        walked={chart.walked}
        last={chart.last}
        fit={whole}
      />
    </div>
  )
}
