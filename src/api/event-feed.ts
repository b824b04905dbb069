import { eventHeartbeatMs, followEvents } from '../../contract/overview/event-stream'
import { pathOf } from '../../contract/core/endpoint'
import { sessionHeader, tagOf } from '../../contract/accounts/sessions'
import type { Refusal } from './client'

export type FeedConnection = { base: string; token: () => string | null; onRefused: (refusal: Refusal) => void }
/** `id`: of an event; absent where the stream says that something else was changed. */
type FeedMessage = { id: string | undefined }

export type AskedFeed = {
  projectId: string
  /** Of the last event that is known. */
  lastId: () => string | undefined
  onOpened: () => void
  onMessage: (message: FeedMessage) => void
  /** With each sign of life of the stream. */
  onAlive?: () => void
  signal: AbortSignal
}

/** Three heartbeats. */
export const feedSilenceMs = 3 * eventHeartbeatMs

const readMessage = (block: string): FeedMessage | undefined => {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  // Comments keep the connection alive.
  return fields.has('data') ? { id: fields.get('id') } : undefined
}

/** Follows the events of a project; resolves or rejects when the stream has ended, also by silence. */
export const openEventFeed = async (connection: FeedConnection, asked: AskedFeed): Promise<void> => {
  const { base, token, onRefused } = connection
  const { projectId, onOpened, onMessage, onAlive, signal } = asked
  const lastId = asked.lastId()
  const held = token()
  if (held === null) return
  const silent = new AbortController()
  let timer = setTimeout(() => silent.abort(), feedSilenceMs)
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
      timer = setTimeout(() => silent.abort(), feedSilenceMs)
      onAlive?.()
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
