import { randomUUID } from 'node:crypto'
import type { DeviceEvent } from '../../contract/device/api'
import type { Clock } from '../core/clock'
import { wait } from '../core/wait'
import type { DeviceApi } from '../api-client/device-api'
import { Refused } from '../api-client/http'
import type { Attempt, State, Store } from './store'

const most = 1000
const batch = 100

type Details = Partial<Omit<DeviceEvent, 'event_id' | 'sequence' | 'type' | 'ts_ms'>>
export type Subject = Pick<DeviceEvent, 'rollout_id' | 'release_id' | 'version'>

/** A full outbox drops progress reports first, then the oldest ones. */
const trimmed = (events: DeviceEvent[]): DeviceEvent[] => {
  if (events.length <= most) return events
  const without = events.filter(({ type }) => !type.endsWith('_progress'))
  return without.slice(-most)
}

export const subjectOf = (attempt: Attempt): Subject => ({
  rollout_id: attempt.rollout_id,
  release_id: attempt.release_id,
  version: attempt.version,
})

/** Numbers above it leave too little room below the largest integer. */
const maxSequence = 2 ** 52

/** Update events wait on disk until the server has acknowledged them; they keep their id and sequence when sent again. */
export const outboxOf = (store: Store, clock: Clock, bootId: string) => {
  /** The change of state that records an event; merge it with the step that it reports, and both are written at once. */
  const noted = (state: Readonly<State>, subject: Subject, type: DeviceEvent['type'], details: Details = {}) => ({
    next_event: state.next_event + 1,
    events: trimmed([
      ...state.events,
      { event_id: randomUUID(), sequence: state.next_event, type, ...subject, boot_id: bootId, ts_ms: clock.now(), ...details },
    ]),
  })

  const forget = (ids: ReadonlySet<string>) =>
    store.change({ events: store.state.events.filter(({ event_id }) => !ids.has(event_id)) })

  const deliver = async (api: DeviceApi, events: DeviceEvent[], signal?: AbortSignal): Promise<boolean> => {
    try {
      const { abort } = await api.report(events, signal)
      forget(new Set(events.map(({ event_id }) => event_id)))
      return abort
    } catch (error) {
      if (!(error instanceof Refused) || ![400, 413, 422].includes(error.status)) throw error
      // The server cannot store one of these: find it by halving, so that it does not block the others.
      if (events.length === 1) forget(new Set(events.map(({ event_id }) => event_id)))
      const half = Math.ceil(events.length / 2)
      if (events.length === 1) return false
      const first = await deliver(api, events.slice(0, half), signal)
      return (await deliver(api, events.slice(half), signal)) || first
    }
  }

  let running: Promise<boolean> | null = null
  const flushAll = async (api: DeviceApi, signal?: AbortSignal): Promise<boolean> => {
    let abort = false
    while (store.state.events.length > 0) abort = (await deliver(api, store.state.events.slice(0, batch), signal)) || abort
    return abort
  }

  return {
    noted,
    note: (subject: Subject, type: DeviceEvent['type'], details: Details = {}, changes: Partial<State> = {}) =>
      store.change({ ...changes, ...noted({ ...store.state, ...changes }, subject, type, details) }),
    /**
     * Numbers all events after the last one that the server has, if it has more than this device knows of: the state was lost, and
     * the server ignores reports that are not newer.
     */
    continueAfter: (last: number): void => {
      const { events, next_event } = store.state
      if (last < next_event || last > maxSequence) return
      const numbered = events.map((event, at) => ({ ...event, sequence: last + 1 + at }))
      store.change({ events: numbered, next_event: last + 1 + events.length })
    },
    /** Sends the events, oldest first; true when the server asks to abort the update. Throws when sending fails. */
    flush: (api: DeviceApi, signal?: AbortSignal): Promise<boolean> => {
      running ??= flushAll(api, signal).finally(() => (running = null))
      return running
    },
    /** Sends what it can within the time and leaves the rest for the next start. */
    flushWithin: async (api: DeviceApi, ms: number): Promise<void> => {
      running ??= flushAll(api).finally(() => (running = null))
      await Promise.race([running.catch(() => false), wait(ms)])
    },
  }
}
export type Outbox = ReturnType<typeof outboxOf>
