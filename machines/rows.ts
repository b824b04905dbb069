import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'

/** One line of a transition table: README and chart are compared in this form. */
export type Row = { from: string; on: string; when: string; to: string; does: string }

type Named = string | { type: string; params?: unknown } | ((...args: never[]) => unknown) | undefined

/** A name with the parameters fixed in the chart: `explain(loop)`. Parameters from the event are not shown. */
const nameOf = (thing: Named): string => {
  if (thing === undefined) return ''
  if (typeof thing === 'string') return thing
  if (typeof thing === 'function') return `not ${thing.name}`
  const fixed = typeof thing.params === 'object' && thing.params !== null ? Object.values(thing.params) : []
  return fixed.length > 0
    ? `${thing.type}(${fixed.map((value) => (typeof value === 'object' ? 'timed out' : String(value))).join(', ')})`
    : thing.type
}

const namesOf = (actions: Named | readonly Named[]) => [actions].flat().map(nameOf).join(', ')

/** `holding.signedIn`; the root state is `any`. */
export const pathOf = (node: AnyStateNode): string => node.path.join('.') || 'any'

/** `xstate.done.actor.self` becomes `self done`, `xstate.after.timeout.auth.leaving` becomes `after timeout`. */
export const eventName = (type: string): string => {
  const [, kind, second, ...rest] = type.split('.')
  if (!type.startsWith('xstate.')) return type || 'always'
  if (kind === 'after') return `after ${second}`
  return `${rest.join('.')} ${kind === 'done' ? 'done' : 'failed'}`
}

export const nodesOf = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)]

export const transitionsFrom = (node: AnyStateNode): AnyTransitionDefinition[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
]

/** The transitions of a chart in the order of its source. */
export const transitionsOf = (machine: AnyStateMachine): AnyTransitionDefinition[] =>
  nodesOf(machine.root).flatMap(transitionsFrom)

export const rowOf = (transition: AnyTransitionDefinition): Row => ({
  from: pathOf(transition.source),
  on: eventName(transition.eventType),
  when: nameOf(transition.guard),
  // `anew`: the state is exited and entered again even when it is the current one.
  to: (transition.target ?? []).map((node) => `${pathOf(node)}${transition.reenter ? ' anew' : ''}`).join(' '),
  does: namesOf(transition.actions),
})

const markOf = (node: AnyStateNode): Row[] =>
  (['entry', 'exit'] as const)
    .map((on) => ({ from: pathOf(node), on, when: '', to: '', does: namesOf(node.config[on]) }))
    .filter((row) => row.does !== '')
const asksOf = (node: AnyStateNode): Row[] =>
  node.invoke.map(({ src }) => ({
    from: pathOf(node),
    on: 'asks',
    when: '',
    to: '',
    does: typeof src === 'string' ? src : 'a logic of its own',
  }))
const delaysOf = ({ delays }: AnyStateMachine['implementations']): Row[] =>
  Object.entries(delays ?? {}).map(([name, delay]) => ({
    from: 'any',
    on: 'delay',
    when: name,
    to: '',
    does: typeof delay === 'number' ? `${delay} ms` : 'computed',
  }))
const tagsOf = (node: AnyStateNode): Row[] =>
  node.tags.length > 0 ? [{ from: pathOf(node), on: 'tags', when: '', to: '', does: node.tags.join(', ') }] : []
const startOf = (node: AnyStateNode): Row[] =>
  node.type === 'compound' ? [{ from: pathOf(node), on: 'start', when: '', to: pathOf(node.initial.target[0]!), does: '' }] : []

/** All rows of a chart's table: delays, initial states, tags, invoked actors, entry and exit actions, transitions. */
export const rowsOf = (machine: AnyStateMachine): Row[] => [
  ...delaysOf(machine.implementations),
  ...nodesOf(machine.root).flatMap((node) => [
    ...startOf(node),
    ...tagsOf(node),
    ...markOf(node),
    ...asksOf(node),
    ...transitionsFrom(node).map(rowOf),
  ]),
]
