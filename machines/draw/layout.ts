import ELK from 'elkjs/lib/elk.bundled.js'
import type { ElkNode } from 'elkjs/lib/elk-api'
import type { AnyStateMachine } from 'xstate'
import { graphOf } from './graph'

const elk = new ELK()

/** A page of GitHub is about this wide; what is wider is drawn smaller there. */
const page = 900
const smallness = ({ width = 0, height = 0 }: ElkNode) => Math.max(width / page, 1) + height / 2400

/** Where everything stands, running right or down, whichever stays larger on a page. */
export const layoutOf = async (machine: AnyStateMachine): Promise<ElkNode> => {
  const layouts = [await elk.layout(graphOf(machine, 'RIGHT')), await elk.layout(graphOf(machine, 'DOWN'))]
  return layouts.toSorted((a, b) => smallness(a) - smallness(b))[0]!
}
