import { describe, expect, it } from 'vitest'
import { backoff, clampSeconds, pauseAfter, pollBounds } from './wait'

const many = (make: () => number) => Array.from({ length: 500 }, make)

describe('the pause after a refusal', () => {
  it("is the larger of the agent's back-off and the Retry-After of the server", () => {
    expect(many(() => pauseAfter(60_000, 2000)).every((ms) => ms === 60_000)).toBe(true)
    expect(many(() => pauseAfter(1000, 30_000)).every((ms) => ms >= 30_000 && ms <= 45_000)).toBe(true)
    expect(pauseAfter(1000, null)).toBe(1000)
  })

  it('is spread randomly, so that devices refused together do not retry together', () => {
    const pauses = many(() => pauseAfter(1000, 30_000))
    expect(new Set(pauses.map((ms) => Math.floor(ms / 1000))).size).toBeGreaterThan(10)
  })

  it('grows with each refusal although the server asks for the same', () => {
    const pauses = [1, 4, 8].map((attempt) => pauseAfter(backoff(attempt, 1000, 300_000), 2000))
    expect(pauses[0]).toBeLessThan(4000)
    expect(pauses[1]).toBeGreaterThanOrEqual(8000)
    expect(pauses[2]).toBeGreaterThanOrEqual(128_000)
  })
})

it.each([
  [0, 30],
  [-1, 30],
  [31, 31],
  [1e300, 604_800],
  [Infinity, 604_800],
])('%d seconds of a server are %d', (asked, seconds) => expect(clampSeconds(asked, pollBounds)).toBe(seconds))
