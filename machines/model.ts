import type {
  AnyActorLogic,
  AnyStateMachine,
  CallbackActorLogic,
  EventFromLogic,
  EventObject,
  InputFrom,
  OutputFrom,
} from 'xstate'

type NonEmpty<T> = readonly [T, ...T[]]
type Sample<Event, Type> = Event extends { type: infer Types } ? (Type extends Types ? Event & { type: Type } : never) : never
type Samples<M extends AnyStateMachine> = {
  [Type in Exclude<EventFromLogic<M>['type'], 'xstate.route'>]: NonEmpty<Sample<EventFromLogic<M>, Type>>
}

/** Event ports and child charts send events, so only ports have answers. */
export type PortName<Ports> = {
  [Id in keyof Ports]: Ports[Id] extends CallbackActorLogic<infer _Event, infer _Input> ? never : Id
}[keyof Ports]
type Answers<Ports extends Record<string, AnyActorLogic>> = {
  [Id in PortName<Ports>]: { done: NonEmpty<OutputFrom<Ports[Id]>>; error: NonEmpty<unknown> }
}

/** All events and answers of a chart, as input for the tests. */
export type Model = {
  machine: AnyStateMachine
  starts: Record<string, unknown>
  events: Record<string, NonEmpty<EventObject>>
  answers: Record<string, { done: NonEmpty<unknown>; error: NonEmpty<unknown> }>
}

/** A missing event of the chart, or a missing answer of a port, does not compile. */
export const model = <Ports extends Record<string, AnyActorLogic>, M extends AnyStateMachine>(
  _ports: Ports,
  facts: { machine: M; starts: Record<string, InputFrom<M>>; events: Samples<M>; answers: Answers<Ports> },
): Model => facts

/** The failure of a port by status; 0 for a network failure. */
export const failed = (status: number) => ({ status, code: `status_${status}`, details: [] })
