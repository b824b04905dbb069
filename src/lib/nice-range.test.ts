import { assert, double, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import '../../tests/support/fixed-seed'
import { chartRange, niceRange } from './nice-range'

describe('niceRange', () => {
  it.each([
    [51, 74, [40, 60, 80]],
    [0, 100, [0, 50, 100]],
    [-110, -50, [-120, -80, -40]],
    [7, 7, [7, 8, 9]],
    [0, 0, [0, 1, 2]],
    [900, 1300, [900, 1200, 1500]],
    [Number.NaN, 5, [0, 0.5, 1]],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, [0, 0.5, 1]],
  ])('%d to %d', (min, max, expected) => expect(niceRange(min, max)).toEqual(expected))

  it('holds every value between low and high, in three even lines', () => {
    const value = double({ min: -1e9, max: 1e9, noNaN: true })
    assert(
      property(value, value, (a, b) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)]
        const [low, middle, high] = niceRange(min, max)
        const slack = Math.max(1, Math.abs(high) + Math.abs(low)) * 1e-6
        expect(low).toBeLessThanOrEqual(min + slack)
        expect(high).toBeGreaterThanOrEqual(max - slack)
        expect(Math.abs(middle - low - (high - middle))).toBeLessThanOrEqual(slack)
      }),
    )
  })
})

describe('chartRange', () => {
  it.each([
    [51, 74, [], [0, 40, 80]],
    [55, 70, [75], [0, 50, 100]],
    [1, 2, [80], [0, 1, 2]],
    [-110, -50, [], [-120, -80, -40]],
    [0, 100, [80], [0, 50, 100]],
    [0, 100, [90], [0, 60, 120]],
  ])('%d to %d with the limits %j', (min, max, limits, expected) => expect(chartRange(min, max, limits)).toEqual(expected))

  it.each([
    [0, 97, [80, 95], [0, 50, 100]],
    [0, 100, [90], [0, 50, 100]],
    [3, 30, [], [0, 20, 40]],
    [0, 130, [90], [0, 80, 160]],
  ])('shares of %d to %d percent with the limits %j end at 100 unless a value is above', (min, max, limits, expected) =>
    expect(chartRange(min, max, limits, 100)).toEqual(expected),
  )
})
