import { type AnyEventObject, createActor, fromCallback } from 'xstate'
import { type LiveFeedEvent, liveFeedMachine } from '../../../machines/live-feed/live-feed.machine'
import { setLive } from '../../api/refresh'
import { actorOptions } from '../inspection'
import type { System } from '../system'
import { createFollowedLists } from './follow-lists'
import { openSharedFeed } from './shared-feed'

/** Follows the events of a project while the page is visible: open lists are refetched instead of polled. Returns its end. */
export const followProject = (
  { environment, session, refused, queryClient, connection }: System,
  projectId: string,
): (() => void) => {
  const lists = createFollowedLists(queryClient)
  let wasLive = false
  // A tab that takes the shared stream over continues after the entries that it has received from the other tab.
  const lastId = (): string | undefined => actor.getSnapshot().context.known.at(-1)
  const actor = createActor(
    liveFeedMachine.provide({
      actors: {
        feed: fromCallback<AnyEventObject, { after: string | null }>(({ sendBack }) => {
          const send = (event: LiveFeedEvent) => sendBack(event)
          const ending = new AbortController()
          const onMessage = ({ id }: { id: string | undefined }) => send({ type: 'entry.received', id: id ?? null })
          const feedConnection = { base: environment.api, token: session.token, onRefused: refused }
          const onOpened = () => send({ type: 'feed.opened' })
          const broken = () => ending.signal.aborted || send({ type: 'feed.broken' })
          const asked = { projectId, lastId, onOpened, onMessage, signal: ending.signal }
          void openSharedFeed(feedConnection, asked).then(broken, broken)
          return () => ending.abort()
        }),
      },
    }),
    actorOptions,
  )
  actor.on('entry.accepted', lists.changed)
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
  actor.send({ type: 'feed.started' })
  show()
  return () => {
    document.removeEventListener('visibilitychange', show)
    restored.unsubscribe()
    actor.stop()
    lists.stop()
    setLive(false)
  }
}
