import ELK from 'elkjs/lib/elk.bundled.js'
import type { ElkNode } from 'elkjs/lib/elk-api'
import type { AnyStateMachine } from 'xstate'
import { graphOf } from './graph'

const elk = new ELK()

/** About the width of a GitHub page; wider pictures are scaled down there. */
const page = 900
const smallness = ({ width = 0, height = 0 }: ElkNode) => Math.max(width / page, 1) + height / 2400

/** The layout, horizontal or vertical, whichever is larger on a page. */
export const layoutOf = async (machine: AnyStateMachine): Promise<ElkNode> => {
  const layouts = [await elk.layout(graphOf(machine, 'RIGHT')), await elk.layout(graphOf(machine, 'DOWN'))]
  return layouts.toSorted((a, b) => smallness(a) - smallness(b))[0]!
}
