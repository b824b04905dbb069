import type { AnyStateMachine, ContextFrom, EventFromLogic } from 'xstate'
import type { Model } from '../../../machines/model'
import { statusOf } from '../../../machines/port'
import { eventName } from '../../../machines/rows'
import { fields, type Json, type Redact } from './redaction'

type Takes = Readonly<Record<string, Redact>>
type FieldsOf<T> = { [Name in keyof T]-?: Redact }
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
  input?: Redact
}

export const shown = <M extends AnyStateMachine>(
  machine: M,
  of: Omit<Shown, 'machine' | 'context' | 'events'> & {
    context: FieldsOf<ContextFrom<M>>
    events: EventsOf<EventFromLogic<M>>
  },
): Shown => ({ machine, ...of })

export type RedactedEvent = { type: string; name: string; facts: { [name: string]: Json } }

type Heard = { type: string; output?: unknown; error?: unknown; input?: unknown }

const given = (name: string, take: Redact | undefined, value: unknown): RedactedEvent['facts'] =>
  take ? { [name]: take(value) } : {}
const portOf = (type: string) => type.split('.').slice(3).join('.')

/** An event with the listed properties only. */
export const redactEvent = (of: Shown | undefined, event: Heard): RedactedEvent => {
  const { type } = event
  if (type === 'xstate.init') return { type, name: 'start', facts: given('input', of?.input, event.input) }
  if (type === 'xstate.stop') return { type, name: 'stop', facts: {} }
  if (type.startsWith('xstate.')) {
    const facts: RedactedEvent['facts'] = type.startsWith('xstate.done.')
      ? given('answer', of?.answers?.[portOf(type)], event.output)
      : type.startsWith('xstate.error.')
        ? { status: statusOf(event.error) }
        : {}
    return { type, name: eventName(type), facts }
  }
  const taken = fields(of?.events[type] ?? {})(event)
  return { type, name: type, facts: typeof taken === 'object' && taken !== null && !Array.isArray(taken) ? taken : {} }
}

export const redactContext = (of: Shown | undefined, context: unknown): Json => fields(of?.context ?? {})(context)
