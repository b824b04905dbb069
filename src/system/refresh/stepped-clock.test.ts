import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSteppedClock } from './stepped-clock'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const setUp = () => {
  const clock = createSteppedClock(() => Date.now())
  const ran: string[] = []
  return { clock, ran, wait: (name: string, delay: number) => clock.setTimeout(() => ran.push(name), delay) }
}

it('follows the real clock until it is paused', () => {
  const { ran, wait } = setUp()
  wait('a', 100)
  vi.advanceTimersByTime(99)
  expect(ran).toEqual([])
  vi.advanceTimersByTime(1)
  expect(ran).toEqual(['a'])
})

it('when paused, runs no timer by itself, and steps in order', () => {
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

it('runs timers that were set during a step in the same step, at their own time', () => {
  const { clock, ran } = setUp()
  clock.hold()
  const began = clock.now()
  clock.setTimeout(() => clock.setTimeout(() => ran.push(`after ${clock.now() - began}`), 50), 100)
  clock.step(149)
  expect(ran).toEqual([])
  clock.step(1)
  expect(ran).toEqual(['after 150'])
})

it('when resumed, waits for the remaining time', () => {
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

it('drops cleared timers, paused or not', () => {
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
