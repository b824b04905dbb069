import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createEventStream } from './stream'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const heartbeat = ':\n\n'

it('a stream without news sends a heartbeat 15 s after its last answer, as long as the caller may read', async () => {
  let mayRead = true
  const reader = { next: async () => [] }
  const { chunks } = createEventStream({ reader, lost: false, mayRead: async () => mayRead })
  const received: string[] = []
  const reading = (async () => {
    for await (const chunk of chunks) received.push(chunk)
  })()
  await vi.advanceTimersByTimeAsync(0)
  expect(received).toEqual([': open\n\n', heartbeat])
  // Answers are at least a second apart; from then on it waits for news.
  for (const n of [3, 4]) {
    await vi.advanceTimersByTimeAsync(1000 + 14_999)
    expect(received).toHaveLength(n - 1)
    await vi.advanceTimersByTimeAsync(1)
    expect(received.slice(1)).toEqual(Array.from({ length: n - 1 }, () => heartbeat))
  }
  mayRead = false
  await vi.advanceTimersByTimeAsync(16_000)
  await reading
  expect(received).toHaveLength(4)
})

it('a stream whose reader is stalled keeps a limited number of ids, and then says that events are missing', async () => {
  const named: number[] = []
  const reader = {
    next: async (ids: readonly string[]) => {
      named.push(ids.length)
      return []
    },
  }
  const { chunks, wake } = createEventStream({ reader, lost: false, mayRead: async () => true })
  const read = async () => {
    const next = chunks.next()
    await vi.advanceTimersByTimeAsync(1000)
    return (await next).value
  }
  const announce = (count: number) => {
    for (let n = 0; n < count; n++) wake(`id-${n}`)
  }
  expect([await read(), await read()]).toEqual([': open\n\n', heartbeat])
  announce(5000)
  expect(await read()).toBe(heartbeat)
  announce(20_000)
  expect(await read()).toBe('event: reset\ndata:\n\n')
  announce(3)
  expect(await read()).toBe(heartbeat)
  expect(named).toEqual([0, 5000, 0, 3])
})
