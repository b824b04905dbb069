import { describe, expect, it } from 'vitest'
import { clockFrom, signedFloor } from './clock'

const signed = Date.parse('2026-03-01T00:00:00Z')

describe('the clock of a device', () => {
  it('uses the time of a signed manifest when the clock is older', () => {
    expect(clockFrom(signed, () => 0).now()).toBeGreaterThanOrEqual(signed)
  })

  it('moves up to what the server says, and never back', () => {
    const clock = clockFrom(signed, () => 0)
    clock.atLeast(signed + 1000)
    clock.atLeast(signed - 1000)
    clock.atLeast(Number.NaN)
    expect(clock.now()).toBeGreaterThanOrEqual(signed + 1000)
    expect(clock.now()).toBeLessThan(signed + 60_000)
  })

  it('returns to the right time when the server does after a wrong one', () => {
    const clock = clockFrom(signed, () => 0)
    clock.atLeast(Date.UTC(2088, 0, 1))
    clock.follow(signed + 1000)
    expect(clock.now()).toBeGreaterThanOrEqual(signed + 1000)
    expect(clock.now()).toBeLessThan(signed + 60_000)
    clock.follow(0)
    expect(clock.now()).toBeGreaterThanOrEqual(signed)
  })

  it('ignores an invalid time', () => {
    const clock = clockFrom(signed, () => signed)
    for (const ms of [1e300, Infinity, Date.UTC(9999, 0, 1)]) clock.atLeast(ms)
    expect(clock.now()).toBeLessThan(signed + 60_000)
    expect(() => new Date(clock.now()).toISOString()).not.toThrow()
  })

  it('takes a signing time, but not one that is far ahead of a clock that is set', () => {
    expect(signedFloor(signed, 0)).toBe(signed)
    expect(signedFloor(signed, signed + 1000)).toBe(signed)
    expect(signedFloor(Date.UTC(2088, 0, 1), signed)).toBe(signed + 86_400_000)
  })

  it('keeps its own time when that is later', () => {
    expect(clockFrom(signed, () => signed + 5_000_000).now()).toBe(signed + 5_000_000)
  })
})
