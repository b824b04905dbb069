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
