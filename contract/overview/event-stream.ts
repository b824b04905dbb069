import { array, enums, type Infer, nullable, object, optional, type, unknown } from 'superstruct'
import { endpoint, inProject, requires } from '../core/endpoint'
import { type EventFacts, eventTypes, summedTypes, sumTypeOf } from '../accounts/events'
import { integerParam } from '../core/rules'
import { Id, Timestamp } from '../core/shapes'

/** Streams that a person may have open at once, with all sessions and tokens. */
export const maxEventStreams = 6
/** In milliseconds: a stream is never silent for longer. */
export const eventHeartbeatMs = 15_000
export const eventPage = { initial: 100, max: 1000 } as const

const allEventTypes: readonly EventFacts['type'][] = [...eventTypes, ...summedTypes.map(sumTypeOf)]

/** `data`: the facts of the type, see `EventFacts`. */
export const ProjectEvent = type({ id: Id, type: enums(allEventTypes), at: Timestamp, data: unknown() })
export type ProjectEvent = Infer<typeof ProjectEvent>

export const followEvents = endpoint({
  method: 'GET',
  path: '/projects/:projectId/events',
  summary:
    'Follow the events of a project as server-sent events. `Last-Event-ID` continues after an event. The event `changed` says that something else was changed, `reset` that events are missing: read again.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: 'stream',
})
export const storedEvents = endpoint({
  method: 'GET',
  path: '/projects/:projectId/stored_events',
  summary: 'List the events of the last 30 days after one of them, oldest first.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object({ after: optional(Id), limit: optional(integerParam('Limit', 1, eventPage.max)) }),
  answer: type({ events: array(ProjectEvent), next_after: nullable(Id) }),
})
