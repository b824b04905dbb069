// A gesture dictionary defines every word of a chart in a real page: for each event and answer of a port what a person or the
// environment does (click, release a held call, break a connection), for each state what is visible then; `playPaths(dictionary)`
// walks the chart's own paths with it.
import type { AnyActorLogic, AnyStateMachine, EventFromLogic, OutputFrom, SnapshotFrom, StateValueFrom } from 'xstate'
import type { Model, PortName } from '../../../machines/model'
import type { Move } from '../../model/moves'
import type { Console } from '../support/console'
import type { Hosts } from '../support/hosts'
import type { TestPage } from './test-page'

type KeysOf<Value> = Value extends object ? keyof Value : never
/** `holding.verifying`: the atomic states, of every region if there are several. */
type Leaf<Value, Boxes = KeysOf<Value>> = Value extends string
  ? Exclude<Value, Boxes>
  : { [Key in keyof Value & string]: `${Key}.${Leaf<NonNullable<Value[Key]>>}` }[keyof Value & string]
type LeafOf<M extends AnyStateMachine> = Leaf<StateValueFrom<M>>

type TypeOf<M extends AnyStateMachine> = Exclude<EventFromLogic<M>['type'], 'xstate.route'>
type EventOf<M extends AnyStateMachine, Type> = Extract<EventFromLogic<M>, { type: Type }>
type Does<World, Given, At> = (world: World, given: Given, at: At) => Promise<unknown>

/**
 * Anything missing does not compile: an event, a port, one of its two answers, a state. Delays need no gesture: the clock is
 * moved.
 */
export type Gestures<
  M extends AnyStateMachine,
  Ports extends Record<string, AnyActorLogic>,
  World extends TestPage,
  Cast = unknown,
> = {
  model: Model
  /** Runs once for all paths: creates people and data on the hosts. */
  prepare: (hosts: Hosts) => Promise<Cast>
  /** Runs once for each path: a new profile, a page in the chart's first state, and every call of a port held. */
  open: (console: Console, cast: Cast, start: string) => Promise<World>
  /** False for a move that is impossible in a page, with the reason. Paths avoid it; every transition is still required. */
  possible?: (at: SnapshotFrom<M>, move: Move) => boolean
  events: { [Type in TypeOf<M>]: Does<World, EventOf<M, Type>, SnapshotFrom<M>> }
  /** Called with the model's sample: `done` the output, `error` the status, 0 for a broken connection. */
  answers: {
    [Id in PortName<Ports>]: {
      done: Does<World, OutputFrom<Ports[Id]>, SnapshotFrom<M>>
      error: Does<World, number, SnapshotFrom<M>>
    }
  }
  /**
   * Rejects unless the page shows the state and the requests are right. Waits for conditions, never for times. `did` counts how
   * often the path has announced something (or run a named action) so far.
   */
  states: { [State in LeafOf<M>]: (world: World, at: SnapshotFrom<M>, did: (type: string) => number) => Promise<unknown> }
}

/** Any dictionary, after its own types have been checked. */
/* oxlint-disable typescript/no-explicit-any -- of any chart, in any world */
export type AnyGestures = Omit<Gestures<AnyStateMachine, {}, any, any>, 'answers'> & {
  answers: Record<string, { done: Does<any, any, any>; error: Does<any, number, any> }>
}
