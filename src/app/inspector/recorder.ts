import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, AnyTransitionDefinition, InspectionEvent } from 'xstate'
import { linesOf } from '../../../machines/edges'
import { eventName } from '../../../machines/rows'
import { shownOf } from './charts'
import { type RedactedEvent, redactContext, redactEvent } from './visibility'
import type { Json } from './redaction'

/** A running chart, as shown in the inspector. */
export type Chart = {
  key: string
  name: string
  /** Its atomic states, as paths. */
  states: readonly string[]
  /** Ids of all active nodes. */
  lit: readonly string[]
  tags: readonly string[]
  context: Json
  /** Edges of the picture that were taken, and those of the last step. */
  walked: readonly string[]
  last: readonly string[]
  /** Running delays. */
  waits: readonly string[]
}

/** One received event and its effects. */
export type Entry = {
  n: number
  at: Date
  key: string
  chart: string
  event: RedactedEvent
  from: readonly string[]
  to: readonly string[]
  does: readonly string[]
  before: Json
  after: Json
}

type Recording = { charts: readonly Chart[]; entries: readonly Entry[] }

/** The actor of a key, to draw it and to send events. Only `Chart` is displayed. */
export type RunningChart = { ref: AnyActorRef; machine: AnyStateMachine }

export type Recorder = {
  hear: (event: InspectionEvent) => void
  current: () => Recording
  live: (key: string) => RunningChart | undefined
  clear: () => void
  subscribe: (changed: () => void) => () => void
}

const kept = 500

const chartOf = (ref: object): AnyStateMachine | undefined => {
  const logic: unknown = Reflect.get(ref, 'logic')
  return typeof logic === 'object' && logic !== null && 'root' in logic ? (logic as AnyStateMachine) : undefined
}
/** A region with a single state is left out. */
const leavesOf = ({ _nodes }: AnyMachineSnapshot) =>
  _nodes
    .filter(({ type, parent }) => type === 'final' || (type === 'atomic' && parent?.type !== 'parallel'))
    .map(({ path }) => path.join('.'))
const without = (some: readonly string[], others: readonly string[]) => some.filter((one) => !others.includes(one))
const delaysOf = (ref: AnyActorRef) =>
  Object.values(ref.system.getSnapshot()._scheduledEvents)
    .filter(({ source }) => source === ref)
    .map(({ event, delay }) => `${eventName(event.type)} ${delay} ms`)
/** Announcements by their event, actions by their names. */
const deedOf = ({ type, params }: { type: string; params: unknown }): string => {
  const said: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, 'event') : undefined
  const what = typeof said === 'object' && said !== null ? Reflect.get(said, 'type') : undefined
  if (type === 'xstate.emit') return `emit ${String(what)}`
  return type.startsWith('xstate.') ? '' : type
}

export const createRecorder = (now: () => Date = () => new Date()): Recorder => {
  const listeners = new Set<() => void>()
  const lives = new Map<string, RunningChart>()
  const steps = new Map<string, { arrows: AnyTransitionDefinition[]; does: string[] }>()
  let recording: Recording = { charts: [], entries: [] }
  let n = 0

  const stepOf = (key: string) => {
    const step = steps.get(key) ?? { arrows: [], does: [] }
    steps.set(key, step)
    return step
  }
  const settle = (key: string, { ref, machine }: RunningChart, heard: { type: string }, snapshot: AnyMachineSnapshot) => {
    const of = shownOf(machine.id)
    const before = recording.charts.find((chart) => chart.key === key)
    const { arrows, does } = stepOf(key)
    steps.delete(key)
    const [states, context] = [leavesOf(snapshot), redactContext(of, snapshot.context)]
    const last = arrows.flatMap(linesOf)
    const chart: Chart = {
      key,
      name: machine.id,
      states,
      lit: snapshot._nodes.map(({ id }) => id),
      tags: [...snapshot.tags],
      context,
      walked: [...new Set([...(before?.walked ?? []), ...last])],
      last: last.length > 0 ? last : (before?.last ?? []),
      waits: delaysOf(ref),
    }
    n += 1
    const entry: Entry = {
      n,
      at: now(),
      key,
      chart: machine.id,
      event: redactEvent(of, heard),
      from: without(before?.states ?? [], states),
      to: without(states, before?.states ?? []),
      does: does.filter(Boolean),
      before: before?.context ?? null,
      after: context,
    }
    const others = recording.charts.filter((one) => one.key !== key)
    const at = before ? recording.charts.indexOf(before) : others.length
    recording = {
      charts: snapshot.status === 'active' ? [...others.slice(0, at), chart, ...others.slice(at)] : others,
      entries: [...recording.entries, entry].slice(-kept),
    }
    for (const listener of listeners) listener()
  }

  return {
    hear: (event) => {
      const machine = chartOf(event.actorRef)
      if (!machine) return
      const { sessionId: key } = event.actorRef
      const live: RunningChart = { ref: event.actorRef as AnyActorRef, machine }
      lives.set(key, live)
      if (event.type === '@xstate.microstep') stepOf(key).arrows.push(...event._transitions)
      if (event.type === '@xstate.action') stepOf(key).does.push(deedOf(event.action))
      if (event.type === '@xstate.snapshot') settle(key, live, event.event, event.snapshot as AnyMachineSnapshot)
    },
    current: () => recording,
    live: (key) => lives.get(key),
    clear: () => {
      recording = { ...recording, entries: [] }
      for (const listener of listeners) listener()
    },
    subscribe: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}
