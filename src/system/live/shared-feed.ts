import { tagOf } from '../../../contract/accounts/sessions'
import { type AskedFeed, type FeedConnection, feedSilenceMs, openEventFeed } from '../../api/event-feed'

/** Between the tabs. `asked`: by a tab that joins; `open` answers it. */
type Word = { type: 'asked' } | { type: 'open' } | { type: 'alive' } | { type: 'message'; id: string | undefined }

/**
 * Follows the events of a project by one stream for all visible tabs of the browser: over HTTP/1.1 a browser has six connections
 * to a host. The tab that holds the lock has the stream and passes its messages on; the next in the queue of the lock takes
 * over. Resolves or rejects when the stream has ended for this tab, also by silence.
 */
export const openSharedFeed = async (connection: FeedConnection, asked: AskedFeed): Promise<void> => {
  const held = connection.token()
  if (held === null) return
  // Absent outside of secure contexts.
  if (!('locks' in navigator)) {
    await openEventFeed(connection, asked)
    return
  }
  const name = `teasel events ${tagOf(held)} ${asked.projectId}`
  const channel = new BroadcastChannel(name)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none: it is of one origin
  const tell = (word: Word) => channel.postMessage(word)
  const silent = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const listen = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silent.abort(), feedSilenceMs)
  }
  let isOpen = false
  const opened = () => {
    if (!isOpen) asked.onOpened()
    isOpen = true
  }
  let hear = (word: Word) => {
    if (word.type === 'asked') return
    listen()
    opened()
    if (word.type === 'message') asked.onMessage({ id: word.id })
  }
  const lead = async () => {
    clearTimeout(timer)
    const tookOver = isOpen
    let isLive = false
    hear = ({ type }) => {
      if (type === 'asked' && isLive) tell({ type: 'open' })
    }
    await openEventFeed(connection, {
      ...asked,
      onOpened: () => {
        isLive = true
        opened()
        // Changes that are no events are not repeated to a new stream: every tab reads again, also those that only listen.
        tell({ type: 'message', id: undefined })
        if (tookOver) asked.onMessage({ id: undefined })
      },
      onMessage: ({ id }) => {
        tell({ type: 'message', id })
        asked.onMessage({ id })
      },
      onAlive: () => tell({ type: 'alive' }),
    })
  }
  channel.addEventListener('message', ({ data }: MessageEvent<Word>) => hear(data))
  tell({ type: 'asked' })
  try {
    await navigator.locks.request(name, { signal: AbortSignal.any([asked.signal, silent.signal]) }, lead)
  } finally {
    clearTimeout(timer)
    channel.close()
  }
}
