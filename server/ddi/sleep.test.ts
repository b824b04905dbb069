import { describe, expect, it } from 'vitest'
import { sleepSeconds, toSleep } from './sleep'

const now = new Date('2026-06-01T12:00:00Z')
const facts = { deviceId: 'a', pollS: 300, isUpdating: false, opensAt: null, now }

describe('the time until the next poll', () => {
  it('is spread by a tenth around the interval, the same at every poll of a device', () => {
    const all = Array.from({ length: 200 }, (_, n) => sleepSeconds({ ...facts, deviceId: `device ${n}` }))
    expect(Math.min(...all)).toBeGreaterThanOrEqual(285)
    expect(Math.max(...all)).toBeLessThanOrEqual(315)
    expect(new Set(all).size).toBeGreaterThan(20)
    expect(sleepSeconds(facts)).toBe(sleepSeconds(facts))
  })

  it.each([
    [{ pollS: 1 }, 30],
    [{ pollS: 604_800 }, 86_399],
    [{ pollS: 604_800, isUpdating: true }, 60],
  ])('of %j is %i s: clients accept no more and no less', (more, seconds) =>
    expect(sleepSeconds({ ...facts, ...more })).toBe(seconds),
  )

  it('is not past the opening of the window by more than five minutes', () => {
    const opensAt = new Date(now.getTime() + 600_000)
    const seconds = sleepSeconds({ ...facts, pollS: 7200, opensAt })
    expect(seconds).toBeGreaterThanOrEqual(600)
    expect(seconds).toBeLessThanOrEqual(900)
  })

  it.each([
    [30, '00:00:30'],
    [3661, '01:01:01'],
    [86_399, '23:59:59'],
  ])('%i s is written as %s', (seconds, text) => expect(toSleep(seconds)).toBe(text))
})
