import { eventHeartbeatMs, followEvents } from '../../contract/event-stream'
import { pathOf } from '../../contract/endpoint'
import { sessionHeader, tagOf } from '../../contract/sessions'
import type { Refusal } from './client'

type FeedConnection = { base: string; token: () => string | null; onRefused: (refusal: Refusal) => void }
/** `id`: of an event; absent where the stream says that something else was changed. */
type FeedMessage = { id: string | undefined }

type Asked = {
  projectId: string
  lastId: string | undefined
  onOpened: () => void
  onMessage: (message: FeedMessage) => void
  signal: AbortSignal
}

/** Three heartbeats. */
const silenceMs = 3 * eventHeartbeatMs

const readMessage = (block: string): FeedMessage | undefined => {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  // Comments keep the connection alive.
  return fields.has('data') ? { id: fields.get('id') } : undefined
}

/** Follows the events of a project; resolves or rejects when the stream has ended, also by silence. */
export const openEventFeed = async (connection: FeedConnection, asked: Asked): Promise<void> => {
  const { base, token, onRefused } = connection
  const { projectId, lastId, onOpened, onMessage, signal } = asked
  const held = token()
  if (held === null) return
  const silent = new AbortController()
  let timer = setTimeout(() => silent.abort(), silenceMs)
  try {
    const response = await fetch(`${base}${pathOf(followEvents.path, { projectId })}`, {
      headers: { [sessionHeader]: held, ...(lastId !== undefined && { 'Last-Event-ID': lastId }) },
      credentials: 'omit',
      signal: AbortSignal.any([signal, silent.signal]),
    })
    if (response.status === 401)
      onRefused({ status: 401, sessionTag: tagOf(held), handledBy: undefined, organizationId: undefined })
    if (!response.ok || !response.body) return
    onOpened()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer)
      timer = setTimeout(() => silent.abort(), silenceMs)
      const blocks = (text + part.value).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const message = readMessage(block)
        if (message) onMessage(message)
      }
    }
  } finally {
    clearTimeout(timer)
  }
}
