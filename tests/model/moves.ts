import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, initialTransition, transition } from 'xstate'
import type { Model } from '../../machines/model'

/** An event, an answer of a port or the end of a delay: a possible next event of the chart. */
export type Move = EventObject & { actorId?: string; output?: unknown; error?: unknown }

export type Answer = { type: `xstate.${'done' | 'error'}.actor.${string}`; actorId: string; output?: unknown; error?: unknown }
export const done = (id: string, output: unknown): Answer => ({ type: `xstate.done.actor.${id}`, output, actorId: id })
export const failing = (id: string, error: unknown): Answer => ({ type: `xstate.error.actor.${id}`, error, actorId: id })

const answersOf = (model: Model, snapshot: AnyMachineSnapshot): Move[] =>
  snapshot._nodes
    .flatMap((node) => node.invoke)
    .flatMap(({ id, src }) => {
      const answers = typeof src === 'string' ? model.answers[src] : undefined
      if (!answers) return []
      return [...answers.done.map((output) => done(id, output)), ...answers.error.map((error) => failing(id, error))]
    })

const delaysOf = (snapshot: AnyMachineSnapshot): Move[] =>
  snapshot._nodes
    .flatMap((node) => [...node.transitions.keys()].filter((type) => type.startsWith('xstate.after.')))
    .map((type) => ({ type }))

export const eventsOf = (model: Model): Move[] => Object.values(model.events).flat()

export const movesAt = (model: Model, snapshot: AnyMachineSnapshot): Move[] =>
  snapshot.status === 'active' ? [...eventsOf(model), ...answersOf(model, snapshot), ...delaysOf(snapshot)] : []

/** An effect of a step: announcements unchanged, named actions by name, events to other actors. */
export type Effect = { type: string } & Record<string, unknown>
export type Step = { before: AnyMachineSnapshot; move: Move | null; after: AnyMachineSnapshot; effects: Effect[] }

type Action = { type: string; params?: unknown }
const fieldOf = (params: unknown, name: string): unknown =>
  typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined
const textOf = (params: unknown, name: string): string => {
  const field = fieldOf(params, name)
  return typeof field === 'string' ? field : ''
}
const effectsOf = (actions: readonly Action[]): Effect[] =>
  actions.flatMap(({ type, params }): Effect[] => {
    if (type === 'xstate.emit') return [{ ...(fieldOf(params, 'event') as Effect) }]
    if (type === 'xstate.sendTo') return [{ ...(fieldOf(params, 'event') as Effect) }]
    if (type === 'xstate.spawnChild') return [{ type: 'asks', id: textOf(params, 'id'), input: fieldOf(params, 'input') }]
    if (type === 'xstate.stopChild') return [{ type: 'stops', id: textOf(params, 'id') }]
    if (type === 'xstate.raise' && fieldOf(params, 'delay') !== undefined)
      return [{ type: 'waits', delay: fieldOf(params, 'delay') }]
    return type.startsWith('xstate.') ? [] : [{ type }]
  })

export const begin = (machine: AnyStateMachine, input: unknown): Step => {
  const [after, actions] = initialTransition(machine, input)
  return { before: after, move: null, after, effects: effectsOf(actions) }
}

export const step = (machine: AnyStateMachine, before: AnyMachineSnapshot, move: Move): Step => {
  const [after, actions] = transition(machine, before, move)
  return { before, move, after, effects: effectsOf(actions) }
}

export const keyOf = (snapshot: AnyMachineSnapshot): string => JSON.stringify([snapshot.value, snapshot.context, snapshot.status])
