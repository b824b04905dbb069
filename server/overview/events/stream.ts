import { eventHeartbeatMs, type ProjectEvent } from '../../../contract/overview/event-stream'
import type { EventRow } from '../../core/events/repository'
import { formatTimestamp } from '../../core/timestamps'
import { createAlarm } from './alarm'
import type { createReader } from './reader'

// So often the caller's right is read, and so many answers a project that is busy causes.
const PAUSE_MS = 1000
// The most ids kept for a client that receives nothing for a while; `createReader` reads as many events at once.
const MAX_NAMED = 5000

const resetEvent = 'event: reset\ndata:\n\n'

export const eventToJson = ({ id, type, at, data }: EventRow): ProjectEvent => ({ id, type, at: formatTimestamp(at), data })

type Options = {
  reader: Awaited<ReturnType<typeof createReader>>
  /** The reader's last event is not known here. */
  lost: boolean
  /** Whether the caller may still read the project. */
  mayRead: () => Promise<boolean>
}

/** One stream of server-sent events. It ends when the caller may no longer read, or by `end`. */
export const createEventStream = ({ reader, lost, mayRead }: Options) => {
  const news = createAlarm()
  const pause = createAlarm()
  const state = { ended: false }
  let changed = false
  let named: string[] = []
  let isOverfull = false
  let lastId = ''

  const format = (row: EventRow) => {
    // `Last-Event-ID` never goes back; an event of an earlier time is sent without it.
    const isLast = row.id > lastId
    if (isLast) lastId = row.id
    return `${isLast ? `id: ${row.id}\n` : ''}data: ${JSON.stringify(eventToJson(row))}\n\n`
  }

  const read = async () => {
    const ids = named
    const isChanged = changed
    const isMissing = isOverfull
    named = []
    changed = false
    isOverfull = false
    news.reset()
    const rows = await reader.next(ids)
    const parts = isMissing || !rows ? [resetEvent] : rows.map(format)
    return [...parts, ...(isChanged ? ['event: changed\ndata:\n\n'] : [])].join('')
  }

  async function* chunks(): AsyncGenerator<string> {
    yield `: open\n\n${lost ? resetEvent : ''}`
    // What was missed is sent at once.
    news.ring()
    while (!state.ended) {
      await news.wait(eventHeartbeatMs)
      if (state.ended || !(await mayRead())) return
      // Without the database it ends: its reader continues when it connects again.
      const text = await read().catch(() => null)
      if (text === null) return
      yield text || ':\n\n'
      await pause.wait(PAUSE_MS)
    }
  }

  return {
    chunks: chunks(),
    wake: (eventId: string | null) => {
      if (eventId === null) changed = true
      else if (named.length < MAX_NAMED && !isOverfull) named.push(eventId)
      else {
        named = []
        isOverfull = true
      }
      news.ring()
    },
    end: () => {
      state.ended = true
      news.ring()
      pause.ring()
    },
  }
}

export type EventStream = ReturnType<typeof createEventStream>
