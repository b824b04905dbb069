import { type AnyEventObject, createActor, fromCallback } from 'xstate'
import { type LiveFeedEvent, liveFeedMachine } from '../../../machines/live-feed/live-feed.machine'
import { setLive } from '../../api/refresh'
import { actorOptions } from '../inspection'
import type { System } from '../system'
import { createFollowedLists } from './follow-lists'
import { openSharedFeed } from './shared-feed'

/** Enough for what the server repeats after an interruption. */
const knownIds = 5000

/** Follows the events of a project while the page is visible: open lists are refetched instead of polled. Returns its end. */
export const followProject = (
  { environment, session, refused, queryClient, connection }: System,
  projectId: string,
): (() => void) => {
  const lists = createFollowedLists(queryClient)
  const known = new Set<string>()
  let lastId: string | undefined
  let wasLive = false
  const actor = createActor(
    liveFeedMachine.provide({
      actors: {
        feed: fromCallback<AnyEventObject, { after: number }>(({ sendBack, input }) => {
          const send = (event: LiveFeedEvent) => sendBack(event)
          const ending = new AbortController()
          // The chart counts entries; the stream names its events, and changes have no name.
          let sequence = input.after
          const onMessage = ({ id }: { id: string | undefined }) => {
            if (id !== undefined) {
              if (known.has(id)) return
              known.add(id)
              const [oldest = ''] = known
              if (known.size > knownIds) known.delete(oldest)
              lastId = id
            }
            sequence += 1
            send({ type: 'entries.received', first: sequence, last: sequence })
          }
          const feedConnection = { base: environment.api, token: session.token, onRefused: refused }
          const onOpened = () => send({ type: 'feed.opened' })
          const broken = () => ending.signal.aborted || send({ type: 'feed.broken' })
          const asked = { projectId, lastId: () => lastId, onOpened, onMessage, signal: ending.signal }
          void openSharedFeed(feedConnection, asked).then(broken, broken)
          return () => ending.abort()
        }),
      },
    }),
    actorOptions,
  )
  actor.on('entries.accepted', lists.changed)
  actor.subscribe((snapshot) => {
    const isLive = snapshot.hasTag('live')
    if (isLive === setLive(isLive) || !isLive) return
    // Changes that are no events are not repeated after an interruption.
    if (wasLive) lists.changed()
    wasLive = true
  })
  const show = () => actor.send({ type: document.hidden ? 'feed.paused' : 'feed.resumed' })
  const restored = connection.on('connection.restored', () => actor.send({ type: 'connection.restored' }))
  document.addEventListener('visibilitychange', show)
  actor.start()
  actor.send({ type: 'feed.started', after: 0 })
  show()
  return () => {
    document.removeEventListener('visibilitychange', show)
    restored.unsubscribe()
    actor.stop()
    lists.stop()
    setLive(false)
  }
}
