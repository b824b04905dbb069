import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSteppedClock } from './stepped-clock'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const setUp = () => {
  const clock = createSteppedClock(() => Date.now())
  const ran: string[] = []
  return { clock, ran, wait: (name: string, delay: number) => clock.setTimeout(() => ran.push(name), delay) }
}

it('goes with the real one until it is held', () => {
  const { ran, wait } = setUp()
  wait('a', 100)
  vi.advanceTimersByTime(99)
  expect(ran).toEqual([])
  vi.advanceTimersByTime(1)
  expect(ran).toEqual(['a'])
})

it('held, lets nothing fall due by itself, and steps in order', () => {
  const { clock, ran, wait } = setUp()
  wait('later', 300)
  wait('sooner', 200)
  clock.hold()
  vi.advanceTimersByTime(10_000)
  expect(ran).toEqual([])
  clock.step(199)
  expect(ran).toEqual([])
  clock.step(101)
  expect(ran).toEqual(['sooner', 'later'])
})

it('runs what was set on the way in the same step, at its own time', () => {
  const { clock, ran } = setUp()
  clock.hold()
  const began = clock.now()
  clock.setTimeout(() => clock.setTimeout(() => ran.push(`after ${clock.now() - began}`), 50), 100)
  clock.step(149)
  expect(ran).toEqual([])
  clock.step(1)
  expect(ran).toEqual(['after 150'])
})

it('released, waits for what was left', () => {
  const { clock, ran, wait } = setUp()
  wait('a', 1000)
  vi.advanceTimersByTime(400)
  clock.hold()
  vi.advanceTimersByTime(5000)
  clock.step(100)
  clock.release()
  vi.advanceTimersByTime(499)
  expect(ran).toEqual([])
  vi.advanceTimersByTime(1)
  expect(ran).toEqual(['a'])
})

it('forgets what was cleared, held or not', () => {
  const { clock, ran, wait } = setUp()
  clock.clearTimeout(wait('a', 100))
  clock.hold()
  const b = wait('b', 100)
  clock.clearTimeout(b)
  clock.step(1000)
  clock.release()
  vi.advanceTimersByTime(1000)
  expect(ran).toEqual([])
})
