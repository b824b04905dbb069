import ELK from 'elkjs/lib/elk.bundled.js'
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api'
import type { AnyStateMachine } from 'xstate'
import { at, type DrawnChart, type DrawnEdge, type DrawnNode } from '../geometry'
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

const box = ({ x, y, width, height }: { x?: number; y?: number; width?: number; height?: number }) => ({
  x: at(x),
  y: at(y),
  width: at(width),
  height: at(height),
})

const drawnNode = (node: ElkNode): DrawnNode => ({
  id: node.id,
  ...box(node),
  labels: (node.labels ?? []).map(({ text = '' }) => ({ text })),
  ...(node.children && { children: node.children.map(drawnNode) }),
})

const drawnEdge = ({ id, sections = [], labels = [] }: ElkExtendedEdge): DrawnEdge => ({
  id,
  sections: sections.map(({ startPoint, bendPoints = [], endPoint }) => ({ startPoint, bendPoints, endPoint })),
  labels: labels.map((label) => ({ text: label.text ?? '', ...box(label) })),
})

/** A layout without what only the library needs. */
export const drawnChart = (layout: ElkNode): DrawnChart => ({
  ...drawnNode(layout),
  edges: (layout.edges ?? []).map(drawnEdge),
})
