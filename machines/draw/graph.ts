import { toDirectedGraph } from '@xstate/test'
import type { ElkExtendedEdge, ElkLabel, ElkNode } from 'elkjs/lib/elk-api'
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'
import { anyOf, edgeId, isBox, sourceOf } from '../edges'
import { eventName, nodesOf, rowOf } from '../rows'

const lineHeight = 15
/** Estimates for Mono 12 (states) and Sans 11 (transitions), never too narrow. */
const stateWidth = (text: string) => Math.max(56, text.length * 7.3 + 26)
const labelOf = (lines: string[]): ElkLabel => ({
  text: lines.join('\n'),
  width: Math.max(...lines.map((line) => line.length)) * 6 + 10,
  height: lines.length * lineHeight + 2,
  layoutOptions: { 'elk.edgeLabels.inline': 'true' },
})

const spacing = {
  'elk.spacing.nodeNode': '26',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
}

const startOf = (node: AnyStateNode) => `${node.id}:start`

type Graph = ReturnType<typeof toDirectedGraph>
const graphsIn = (graph: Graph): Graph[] => [graph, ...graph.children.flatMap(graphsIn)]

/** The transitions of one state; XState's directed graph leaves out eventless ones. */
const arrowsOf = ({ stateNode, edges }: Graph): AnyTransitionDefinition[] => [
  ...new Set(edges.map(({ transition }) => transition)),
  ...(stateNode.always ?? []),
]

/** Transitions with a target. Those with actions only are in the table; those that skip states would hide the rest. */
const drawn = (machine: AnyStateMachine) =>
  graphsIn(toDirectedGraph(machine))
    .flatMap(arrowsOf)
    .filter(({ target, meta }) => (target?.length ?? 0) > 0 && meta?.skips !== true)

const wordsOf = (transition: AnyTransitionDefinition): string => {
  const { on, when } = rowOf(transition)
  const words = on === 'always' ? '' : eventName(transition.eventType)
  return [words, when && `[${when}]`].filter(Boolean).join(' ')
}

const edgesOf = (machine: AnyStateMachine): ElkExtendedEdge[] => {
  const lines = new Map<string, { source: string; target: string; words: string[] }>()
  for (const transition of drawn(machine))
    for (const target of transition.target ?? []) {
      const source = sourceOf(transition, target)
      const key = edgeId(source, target)
      const line = lines.get(key) ?? { source, target: target.id, words: [] }
      lines.set(key, { ...line, words: [...line.words, wordsOf(transition)] })
    }
  return [...lines].map(([id, { source, target, words }]) => ({
    id,
    sources: [source],
    targets: [target],
    ...(words.some(Boolean) && { labels: [labelOf(words.filter(Boolean))] }),
  }))
}

const startsOf = (machine: AnyStateMachine): ElkExtendedEdge[] =>
  nodesOf(machine.root)
    .filter(({ type }) => type === 'compound')
    .map((node) => ({ id: startOf(node), sources: [`${startOf(node)}:dot`], targets: [node.initial.target[0]!.id] }))

const nodeOf = (node: AnyStateNode, anys: ReadonlySet<string>): ElkNode => {
  if (!isBox(node)) return { id: node.id, width: stateWidth(node.key), height: 28, labels: [{ text: node.key }] }
  return {
    id: node.id,
    labels: [{ text: node.parent ? node.key : '' }],
    layoutOptions: {
      ...spacing,
      'elk.padding': node.parent ? '[top=34,left=16,bottom=16,right=16]' : '[top=8,left=8,bottom=8,right=8]',
    },
    children: [
      ...(node.type === 'compound'
        ? [
            {
              id: `${startOf(node)}:dot`,
              width: 8,
              height: 8,
              layoutOptions: { 'elk.layered.layering.layerConstraint': 'FIRST' },
            },
          ]
        : []),
      ...Object.values(node.states).map((child) => nodeOf(child, anys)),
      ...(anys.has(anyOf(node)) ? [{ id: anyOf(node), width: 40, height: 22, labels: [{ text: 'any' }] }] : []),
    ],
  }
}

/** A chart in the format of the layout library, from left to right or from top to bottom. */
export const graphOf = (machine: AnyStateMachine, direction: 'RIGHT' | 'DOWN'): ElkNode => {
  const edges = edgesOf(machine)
  const anys = new Set(edges.map(({ sources }) => sources[0]!).filter((id) => id.endsWith(':any')))
  return {
    ...nodeOf(machine.root, anys),
    edges: [...startsOf(machine), ...edges],
    layoutOptions: {
      ...spacing,
      'elk.algorithm': 'layered',
      'elk.direction': direction,
      'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.padding': '[top=8,left=8,bottom=8,right=8]',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      'elk.json.shapeCoords': 'ROOT',
      'elk.json.edgeCoords': 'ROOT',
    },
  }
}
