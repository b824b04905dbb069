import { type AnyStateMachine, type AnyStateNode, getNextSnapshot, type StateValue } from 'xstate'
import { nodesOf, transitionsFrom } from './rows'

/** Queries for an object whose state is in a database: the chart is evaluated without an actor. */
export type ChartQuery<State extends string, Type extends string, Tag extends string> = {
  /** The events with a transition in this state or its parents. */
  moves: (state: State) => Type[]
  canMove: (state: State, type: Type) => boolean
  /** The state after the event; the same state if it has no transition. */
  next: (state: State, type: Type) => State
  /** Whether the state or one of its parents has the tag. */
  hasTag: (state: State, tag: Tag) => boolean
  /** The states with the tag, in the order of the chart. */
  withTag: (tag: Tag) => State[]
}

const valueOf = (path: readonly string[]): StateValue => (path.length === 1 ? path[0]! : { [path[0]!]: valueOf(path.slice(1)) })

const upwards = (node: AnyStateNode): AnyStateNode[] => (node.parent ? [node, ...upwards(node.parent)] : [node])

/** For charts without context, whose state names are unique. */
export const chartQuery = <State extends string, Type extends string, Tag extends string>(
  machine: AnyStateMachine,
): ChartQuery<State, Type, Tag> => {
  const nodes = new Map(nodesOf(machine.root).map((node) => [node.key, node]))
  const nodeOf = (state: State): AnyStateNode => {
    const node = nodes.get(state)
    if (!node) throw new Error(`The chart '${machine.id}' has no state '${state}'`)
    return node
  }
  // The result is pure and cached: a fleet asks the same few questions often.
  const worked = new Map<string, State>()
  const moves = (state: State) => [
    ...new Set(
      upwards(nodeOf(state))
        .flatMap(transitionsFrom)
        .map(({ eventType }) => eventType),
    ),
  ]
  const hasTag = (state: State, tag: Tag) => upwards(nodeOf(state)).some(({ tags }) => tags.includes(tag))
  const states = [...nodes.values()].filter(({ type }) => type === 'atomic').map(({ key }) => key as State)
  return {
    moves,
    hasTag,
    withTag: (tag) => states.filter((state) => hasTag(state, tag)),
    canMove: (state, type) => moves(state).includes(type),
    next: (state, type) => {
      const key = `${state} ${type}`
      const known = worked.get(key)
      if (known) return known
      const before = machine.resolveState({ value: valueOf(nodeOf(state).path), context: {} })
      const after = getNextSnapshot(machine, before, { type })
      // The atomic state is the last of the active ones: these charts have no parallel regions.
      const next = after._nodes.at(-1)?.key as State
      worked.set(key, next)
      return next
    },
  }
}
