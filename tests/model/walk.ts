import { getShortestPaths } from '@xstate/test'
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  fromCallback,
  fromPromise,
  initialTransition,
  SimulatedClock,
} from 'xstate'
import type { Model } from '../../machines/model'
import { eventName, rowOf, transitionsOf } from '../../machines/rows'
import { keyOf, type Move, movesAt, step } from './moves'

export type Path = { start: string; moves: Move[]; title: string }
/** Whether a move is possible. A live actor accepts every one, a page only those of a person or the environment. */
export type Possible = (at: AnyMachineSnapshot, move: Move) => boolean

/** A chart with more situations than this keeps too much in its context. */
const limit = 60_000

const idOf = (transition: AnyTransitionDefinition, at: number) => `${at} ${Object.values(rowOf(transition)).join(' | ')}`
const titleOf = (moves: Move[]) => moves.map(({ type }) => eventName(type)).join(' → ') || 'start'

/** Short paths to every situation, each extended by one move, so that every transition is the last one of a path. */
const pathsFrom = (model: Model, start: string, possible: Possible): Path[] => {
  const { machine } = model
  const movesFrom = (at: AnyMachineSnapshot) => movesAt(model, at).filter((move) => possible(at, move))
  const [fromState] = initialTransition(machine, model.starts[start])
  const ways = getShortestPaths(machine, {
    fromState,
    limit,
    events: movesFrom,
    serializeState: keyOf,
  })
  const seen = new Set<string>()
  const paths: Path[] = []
  for (const { state, steps } of ways.toSorted((a, b) => a.steps.length - b.steps.length)) {
    const way = steps.slice(1).map(({ event }) => event as Move)
    for (const move of movesFrom(state)) {
      const taken: AnyTransitionDefinition[] = machine.getTransitionData(state, move)
      const { after } = step(machine, state, move)
      const sign = JSON.stringify([
        state.value,
        taken.map((transition) => transitionsOf(machine).indexOf(transition)),
        move.type,
        after.value,
      ])
      if (taken.length === 0 || seen.has(sign)) continue
      seen.add(sign)
      paths.push({ start, moves: [...way, move], title: titleOf([...way, move]) })
    }
  }
  // The very first step has no event: a separate path shows that the chart starts correctly.
  return [{ start, moves: [], title: 'start' }, ...paths]
}

const isBeginOf = (short: Move[], long: Move[]) =>
  short.length < long.length && short.every((move, at) => JSON.stringify(move) === JSON.stringify(long[at]))

export const paths = (model: Model, possible: Possible = () => true): Path[] =>
  Object.keys(model.starts).flatMap((start) => {
    const all = pathsFrom(model, start, possible)
    return all.filter(({ moves }) => !all.some((other) => isBeginOf(moves, other.moves)))
  })

type Pending = { resolve: (output: unknown) => void; reject: (error: unknown) => void }

/** Ports that answer only when told; event ports and child charts that send nothing themselves. */
const silent = (model: Model, pending: Map<string, Pending>): AnyStateMachine =>
  model.machine.provide({
    actors: Object.fromEntries(
      Object.keys(model.machine.implementations.actors).map((name) => [
        name,
        name in model.answers
          ? fromPromise(({ self }) => new Promise((resolve, reject) => pending.set(self.id, { resolve, reject })))
          : fromCallback(() => {}),
      ]),
    ),
  })

const settled = () => new Promise((resolve) => setImmediate(resolve))

const isMicrostep = (event: { type: string }): event is { type: '@xstate.microstep'; _transitions: AnyTransitionDefinition[] } =>
  event.type === '@xstate.microstep'

/** Walks one path on a live actor and compares every situation with the prediction of the pure chart. */
export const drive = async (model: Model, path: Path, same: (live: string, foretold: string) => void): Promise<Set<string>> => {
  const pending = new Map<string, Pending>()
  const clock = new SimulatedClock()
  const walked = new Set<string>()
  const machine = silent(model, pending)
  const all = transitionsOf(machine)
  const actor = createActor(machine, {
    clock,
    input: model.starts[path.start],
    inspect: (event) => {
      if (isMicrostep(event)) for (const taken of event._transitions) walked.add(idOf(taken, all.indexOf(taken)))
    },
  }).start()
  let [foretold] = initialTransition(model.machine, model.starts[path.start])
  same(keyOf(actor.getSnapshot()), keyOf(foretold))
  for (const move of path.moves) {
    const id = move.actorId ?? ''
    if (move.type.startsWith('xstate.done.')) pending.get(id)?.resolve(move.output)
    else if (move.type.startsWith('xstate.error.')) pending.get(id)?.reject(move.error)
    else if (move.type.startsWith('xstate.after.')) clock.increment(delayOf(model.machine, foretold, move.type))
    else actor.send(move)
    await settled()
    foretold = step(model.machine, foretold, move).after
    same(keyOf(actor.getSnapshot()), keyOf(foretold))
  }
  actor.stop()
  return walked
}

/** A delay may be a function of the event: the walk knows only the event's type. */
export const delayOf = (machine: AnyStateMachine, snapshot: AnyMachineSnapshot, type: string): number => {
  const delay = machine.implementations.delays[type.split('.')[2] ?? '']
  return typeof delay === 'function' ? delay({ context: snapshot.context, event: { type } } as never, {}) : Number(delay)
}

export const arrows = (model: Model): string[] => transitionsOf(model.machine).map(idOf)
