// A dictionary says what each word of a chart is in a real page: per event and per answer of a port what a person or the world
// does (click, let a held call go, break a line), per state what is seen then; `playPaths(dictionary)` walks the chart's own paths by it.
import type { AnyActorLogic, AnyStateMachine, EventFromLogic, OutputFrom, SnapshotFrom, StateValueFrom } from 'xstate'
import type { Model, PortName } from '../../../machines/model'
import type { Move } from '../../model/moves'
import type { Console } from '../support/console'
import type { Hosts } from '../support/hosts'
import type { Stage } from './stage'

type KeysOf<Value> = Value extends object ? keyof Value : never
/** `holding.verifying`: the innermost states, of every region where there are several. */
type Leaf<Value, Boxes = KeysOf<Value>> = Value extends string
  ? Exclude<Value, Boxes>
  : { [Key in keyof Value & string]: `${Key}.${Leaf<NonNullable<Value[Key]>>}` }[keyof Value & string]
export type LeafOf<M extends AnyStateMachine> = Leaf<StateValueFrom<M>>

type TypeOf<M extends AnyStateMachine> = Exclude<EventFromLogic<M>['type'], 'xstate.route'>
type EventOf<M extends AnyStateMachine, Type> = Extract<EventFromLogic<M>, { type: Type }>
type Does<World, Given, At> = (world: World, given: Given, at: At) => Promise<unknown>

/** What is forgotten does not compile: an event, a port, one of its two ways to answer, a state. Time needs no word: the clock is moved. */
export type Gestures<
  M extends AnyStateMachine,
  Ports extends Record<string, AnyActorLogic>,
  World extends Stage,
  Cast = unknown,
> = {
  model: Model
  /** Once for all paths: who and what is there on the hosts. */
  prepare: (hosts: Hosts) => Promise<Cast>
  /** Once for each path: a fresh profile, a page in the chart's first state, and every call that answers a port held. */
  open: (console: Console, cast: Cast, start: string) => Promise<World>
  /** False for what no page and no world can bring about there, with the reason. Paths go round it; every arrow is still owed. */
  possible?: (at: SnapshotFrom<M>, move: Move) => boolean
  events: { [Type in TypeOf<M>]: Does<World, EventOf<M, Type>, SnapshotFrom<M>> }
  /** Given the model's sample: `done` the output, `error` the status, 0 for a line that broke. */
  answers: {
    [Id in PortName<Ports>]: {
      done: Does<World, OutputFrom<Ports[Id]>, SnapshotFrom<M>>
      error: Does<World, number, SnapshotFrom<M>>
    }
  }
  /**
   * Rejects unless a person sees what belongs to the state and the wire is as it must be. Waits for conditions, never for times.
   * `did` counts how often the path has announced something (or done a named action) so far.
   */
  states: { [State in LeafOf<M>]: (world: World, at: SnapshotFrom<M>, did: (type: string) => number) => Promise<unknown> }
}

/** Any dictionary, once its own types have done their work. */
/* oxlint-disable typescript/no-explicit-any -- of any chart, in any world */
export type AnyGestures = Omit<Gestures<AnyStateMachine, {}, any, any>, 'answers'> & {
  answers: Record<string, { done: Does<any, any, any>; error: Does<any, number, any> }>
}
