import { type AnyStateMachine, type AnyStateNode, createMachine, not } from 'xstate'
import { nodesOf, pathOf } from '../../machines/rows'

/** A chart with one fault. `inside`: the fault is in a guard or an action, which no table shows. */
export type Mutant = { fault: string; inside: boolean; machine: AnyStateMachine }

type Arrow = { target?: string | string[]; guard?: unknown; actions: unknown[]; [other: string]: unknown }
type Invoke = { id?: string; onDone?: Arrow[]; onError?: Arrow[]; [other: string]: unknown }
type Config = {
  on?: Record<string, Arrow[]>
  after?: Record<string, Arrow[]>
  always?: Arrow[]
  invoke?: Invoke[]
  entry?: unknown[]
  exit?: unknown[]
  states?: Record<string, Config>
  [other: string]: unknown
}

// XState allows short and long forms; here everything is long, and a copy that can be changed.
const list = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? [...value] : [value])
const arrow = (value: unknown): Arrow =>
  typeof value === 'string'
    ? { target: value, actions: [] }
    : { ...Object(value), actions: list(Reflect.get(Object(value), 'actions')) }
const arrows = (value: unknown): Arrow[] => list(value).map(arrow)
const each = <T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

const long = (config: Record<string, unknown>): Config => {
  const { on, after, always, invoke, entry, exit, states, ...rest } = config
  return {
    ...rest,
    ...(on !== undefined && { on: each(Object(on), arrows) }),
    ...(after !== undefined && { after: each(Object(after), arrows) }),
    ...(always !== undefined && { always: arrows(always) }),
    ...(entry !== undefined && { entry: list(entry) }),
    ...(exit !== undefined && { exit: list(exit) }),
    ...(states !== undefined && { states: each(Object(states), (state) => long(Object(state))) }),
    ...(invoke !== undefined && {
      invoke: list(invoke).map((one) => {
        const { onDone, onError, ...others } = Object(one)
        return { ...others, ...(onDone && { onDone: arrows(onDone) }), ...(onError && { onError: arrows(onError) }) }
      }),
    }),
  }
}

const configAt = (root: Config, path: readonly string[]): Config => path.reduce((config, key) => config.states![key]!, root)

const arrowsOf = (config: Config): Arrow[][] => [
  ...Object.values(config.on ?? {}),
  ...Object.values(config.after ?? {}),
  ...(config.invoke ?? []).flatMap(({ onDone, onError }) => [onDone ?? [], onError ?? []]),
  config.always ?? [],
]

const regionOf = (node: AnyStateNode): AnyStateNode => {
  for (let at = node; at.parent; at = at.parent) if (at.parent.type === 'parallel') return at
  return node.machine.root
}

const isWithin = (node: AnyStateNode, other: AnyStateNode): boolean =>
  node === other || (node.parent ? isWithin(node.parent, other) : false)

/** A wrong target state: the next in source order, in the same region, so that the chart stays valid. */
const anotherTarget = (node: AnyStateNode, meant: readonly AnyStateNode[] | undefined, isAlways: boolean): string | null => {
  const isMeant = (other: AnyStateNode) => meant?.some((one) => isWithin(one, other) || isWithin(other, one))
  const others = nodesOf(regionOf(node)).filter(
    (other) => other.parent && !isWithin(node, other) && other.parent.type !== 'parallel' && !isMeant(other),
  )
  // Two eventless transitions to each other would never end.
  const safe = isAlways ? others.filter(({ always }) => !always) : others
  const after = safe.find(({ order }) => order > (meant?.[0] ?? node).order) ?? safe[0]
  return after ? `#${after.id}` : null
}

// `not` would lose the parameters of an inline guard.
const opposite =
  (guard: unknown) =>
  (...args: readonly unknown[]): boolean =>
    typeof guard === 'function' && !Reflect.apply(guard, undefined, args)

const isEmpty = (action: unknown) => typeof action === 'function' && /^\(\)\s*=>\s*\{\s*\}$/.test(action.toString())

export const mutantsOf = (machine: AnyStateMachine): Mutant[] => {
  const mutants: Mutant[] = []
  const spoil = (fault: string, change: (root: Config) => void) => {
    const root = long(machine.config)
    change(root)
    // A mutated chart has no types and would not compile.
    mutants.push({ fault, inside: false, machine: createMachine(root as never, machine.implementations as never) })
  }
  for (const node of nodesOf(machine.root)) {
    const config = configAt(long(machine.config), node.path)
    const name = pathOf(node)
    const meant = [
      ...Object.keys(config.on ?? {}).map((type) => node.transitions.get(type) ?? []),
      ...Object.keys(config.after ?? {}).map((delay) => node.transitions.get(`xstate.after.${delay}.${node.id}`) ?? []),
      ...(config.invoke ?? []).flatMap(({ id }) => [
        node.transitions.get(`xstate.done.actor.${id ?? ''}`) ?? [],
        node.transitions.get(`xstate.error.actor.${id ?? ''}`) ?? [],
      ]),
      node.always ?? [],
    ]
    arrowsOf(config).forEach((group, at) =>
      group.forEach((drawn, which) => {
        const pick = (root: Config) => arrowsOf(configAt(root, node.path))[at]![which]!
        const definition = meant[at]?.[which]
        const label = `${name}, ${definition?.eventType || 'always'} (${which + 1})`
        const turned = anotherTarget(node, definition?.target, definition?.eventType === '')
        if (turned) spoil(`${label} leads to ${turned}`, (root) => void (pick(root).target = turned))
        if (drawn.guard !== undefined)
          spoil(`${label} asks the opposite`, (root) => void (pick(root).guard = not(drawn.guard as never)))
        drawn.actions.forEach((_, action) =>
          spoil(`${label} forgets action ${action + 1}`, (root) => void pick(root).actions.splice(action, 1)),
        )
      }),
    )
    for (const edge of ['entry', 'exit'] as const)
      (config[edge] ?? []).forEach((_, action) =>
        spoil(`${name} forgets ${edge} action ${action + 1}`, (root) => void configAt(root, node.path)[edge]!.splice(action, 1)),
      )
  }
  for (const [name, guard] of Object.entries(machine.implementations.guards))
    mutants.push({
      fault: `guard ${name} says the opposite`,
      inside: true,
      machine: machine.provide({ guards: { [name]: opposite(guard) } }),
    })
  for (const [name, action] of Object.entries(machine.implementations.actions))
    if (!isEmpty(action))
      mutants.push({
        fault: `action ${name} does nothing`,
        inside: true,
        machine: machine.provide({ actions: { [name]: () => {} } }),
      })
  return mutants
}
