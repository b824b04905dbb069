import type { AnyStateNode, AnyTransitionDefinition } from 'xstate'

export const isBox = (node: AnyStateNode) => node.type === 'compound' || node.type === 'parallel'

/** Transitions of a compound state that end inside it start at a small `any` node inside it. */
export const anyOf = (node: AnyStateNode) => `${node.id}:any`
const isInside = (node: AnyStateNode, box: AnyStateNode): boolean =>
  node === box || (node.parent ? isInside(node.parent, box) : false)
export const sourceOf = ({ source, target }: AnyTransitionDefinition, to: AnyStateNode) =>
  !source.parent || (isBox(source) && target && isInside(to, source)) ? anyOf(source) : source.id

export const edgeId = (source: string, target: AnyStateNode) => `${source} → ${target.id}`

/** The drawn edges that a transition is part of. */
export const linesOf = (transition: AnyTransitionDefinition): string[] =>
  (transition.target ?? []).map((target) => edgeId(sourceOf(transition, target), target))
