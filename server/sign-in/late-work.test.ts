import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLateWork } from './late-work'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const open = (delay?: () => number) => {
  let close = async (): Promise<void> => {}
  const done: string[] = []
  const host = { addHook: (_name: 'onClose', hook: () => Promise<void>) => void (close = hook) }
  const later = createLateWork(host, delay)
  const work = (name: string) => later(async () => void done.push(name))
  return { work, done, close: () => close() }
}

it('T-13: work after an answer does not run right after it, but at a moment of its own', () => {
  const delays = [300, 20]
  const { work, done } = open(() => delays.shift() ?? 0)
  work('first')
  work('second')
  expect(done).toEqual([])
  vi.advanceTimersByTime(20)
  expect(done).toEqual(['second'])
  vi.advanceTimersByTime(280)
  expect(done).toEqual(['second', 'first'])
})

it('T-13: the moments of work after answers differ', () => {
  const set = vi.spyOn(globalThis, 'setTimeout')
  const { work } = open()
  for (let n = 0; n < 50; n++) work(String(n))
  const delays = new Set(set.mock.calls.map(([, ms]) => ms))
  set.mockRestore()
  expect(delays.size).toBeGreaterThan(25)
})

it('work that is left when the host closes is done before it has closed, once', async () => {
  const { work, done, close } = open(() => 400)
  work('entry')
  await close()
  expect(done).toEqual(['entry'])
  vi.advanceTimersByTime(1000)
  expect(done).toEqual(['entry'])
})
