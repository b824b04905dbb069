import { Readable } from 'node:stream'
import { is } from 'superstruct'
import * as contract from '../../../contract/overview/event-stream'
import { Id } from '../../../contract/core/shapes'
import { createListener } from '../../core/events/listener'
import { listEvents } from '../../core/events/repository'
import { authenticate } from '../../core/http/actors'
import type { Api } from '../../core/http/api'
import { authorize } from '../../core/http/guard'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { idOfTime } from '../../core/ids'
import { createReader } from './reader'
import { createEventStream, type EventStream, eventToJson } from './stream'

const beginning = idOfTime(new Date(0))

export const eventRoutes = (api: Api): void => {
  const { app, deps } = api
  const { followEvents, storedEvents, maxEventStreams, eventPage } = contract
  const listener = createListener(deps)
  const streams = new Map<EventStream, Promise<void>>()
  let closing = false
  // A stream would keep the host from closing; its reader continues at another process.
  app.addHook('preClose', async () => {
    closing = true
    for (const stream of streams.keys()) stream.end()
    await Promise.all(streams.values())
  })
  app.addHook('onClose', () => listener.close())

  route(api, storedEvents, async ({ tx, project, query }) => {
    const limit = query.limit ?? eventPage.initial
    const rows = await listEvents(tx, project.id, query.after ?? beginning, limit)
    return { events: rows.map(eventToJson), next_after: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
  })

  route(api, followEvents, async ({ user, project, params, request, reply }) => {
    // HEAD, which the host answers like GET without the body.
    if (request.method !== 'GET') return ''
    if (closing) return refuse(503, 'unavailable', { retryAfterS: 1 })
    const { 'last-event-id': last } = request.headers
    const isKnown = is(last, Id)
    const leave = await listener.hold(`event stream ${user.id}`, maxEventStreams)
    if (!leave)
      return refuse(429, 'too_many_streams', {
        message: `At most ${maxEventStreams} event streams may be open at once`,
        retryAfterS: 30,
        about: { limit: maxEventStreams },
      })
    const mayRead = async () => {
      try {
        const caller = await authenticate(api, followEvents, request)
        return (await authorize(api, followEvents, caller, params)) !== null
      } catch {
        return false
      }
    }
    let unfollow = () => {}
    try {
      const reader = await createReader({ deps, projectId: project.id, lastId: isKnown ? last : undefined })
      const stream = createEventStream({ reader, lost: last !== undefined && !isKnown, mayRead })
      const unfollowProject = await listener.follow(project.id, stream.wake)
      unfollow = unfollowProject
      // Notifications of the reader, also those of other projects.
      const unfollowReader = await listener.follow(user.id, stream.wake)
      unfollow = () => {
        unfollowProject()
        unfollowReader()
      }
      // Each stream has its connection: nothing follows on it.
      reply.raw.shouldKeepAlive = false
      const ended = new Promise<void>((resolve) => {
        const end = () => {
          stream.end()
          streams.delete(stream)
          unfollow()
          leave()
          resolve()
        }
        // The reader may have left before the stream was ready.
        if (reply.raw.destroyed || closing) stream.end()
        if (reply.raw.destroyed) queueMicrotask(end)
        else reply.raw.once('close', end)
      })
      streams.set(stream, ended)
      reply.type('text/event-stream; charset=utf-8').header('X-Accel-Buffering', 'no')
      return Readable.from(stream.chunks, { objectMode: false })
    } catch (error) {
      unfollow()
      leave()
      throw error
    }
  })
}
