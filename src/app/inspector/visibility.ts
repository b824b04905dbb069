import type { AnyStateMachine, ContextFrom, EventFromLogic } from 'xstate'
import type { Model } from '../../../machines/model'
import { statusOf } from '../../../machines/port'
import { eventName } from '../../../machines/rows'
import { fields, type Json, type Take } from './redaction'

type Takes = Readonly<Record<string, Take>>
type FieldsOf<T> = { [Name in keyof T]-?: Take }
type Facts<Event, Type> = Event extends { type: infer Types } ? (Type extends Types ? Omit<Event, 'type'> : never) : never
type EventsOf<Event extends { type: string }> = {
  [Type in Exclude<Event['type'], 'xstate.route'>]: FieldsOf<Facts<Event, Type>>
}

/** What the inspector shows of a chart. A field without a decision does not compile. */
export type Shown = {
  machine: AnyStateMachine
  model: Model
  context: Takes
  events: Readonly<Record<string, Takes>>
  /** Answers of its ports; of unnamed ones only the fact is shown. */
  answers?: Takes
  input?: Take
}

export const shown = <M extends AnyStateMachine>(
  machine: M,
  of: Omit<Shown, 'machine' | 'context' | 'events'> & {
    context: FieldsOf<ContextFrom<M>>
    events: EventsOf<EventFromLogic<M>>
  },
): Shown => ({ machine, ...of })

export type TakenEvent = { type: string; name: string; facts: { [name: string]: Json } }

type Heard = { type: string; output?: unknown; error?: unknown; input?: unknown }

const given = (name: string, take: Take | undefined, value: unknown): TakenEvent['facts'] => (take ? { [name]: take(value) } : {})
const portOf = (type: string) => type.split('.').slice(3).join('.')

/** An event with the listed properties only. */
export const takeEvent = (of: Shown | undefined, event: Heard): TakenEvent => {
  const { type } = event
  if (type === 'xstate.init') return { type, name: 'start', facts: given('input', of?.input, event.input) }
  if (type === 'xstate.stop') return { type, name: 'stop', facts: {} }
  if (type.startsWith('xstate.')) {
    const facts: TakenEvent['facts'] = type.startsWith('xstate.done.')
      ? given('answer', of?.answers?.[portOf(type)], event.output)
      : type.startsWith('xstate.error.')
        ? { status: statusOf(event.error) }
        : {}
    return { type, name: eventName(type), facts }
  }
  const taken = fields(of?.events[type] ?? {})(event)
  return { type, name: type, facts: typeof taken === 'object' && taken !== null && !Array.isArray(taken) ? taken : {} }
}

export const takeContext = (of: Shown | undefined, context: unknown): Json => fields(of?.context ?? {})(context)
