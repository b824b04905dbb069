import { describe, expect, it } from 'vitest'
import { formatCount, percent, shorten } from './amounts'

describe('shorten (§9)', () => {
  it.each([
    [0, '0'],
    [7.5, '7.5'],
    [999, '999'],
    [1000, '1.0K'],
    [1234, '1.2K'],
    [1251, '1.3K'],
    [950_000, '950.0K'],
    [999_949, '999.9K'],
    [999_999, '1.0M'],
    [1_000_000, '1.0M'],
    [2_550_000_000, '2.6B'],
    [1e12, '1.0T'],
    [1.5e15, '1500.0T'],
  ])('%d is %s', (amount, text) => expect(shorten(amount)).toBe(text))

  it.each([-1, -0.001, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    '%d is refused with the text of §8',
    (amount) => expect(shorten(amount)).toBe('Invalid amount'),
  )
})

describe('percent (§9)', () => {
  it.each([
    [1, 3, 33],
    [2, 3, 66],
    [999, 1000, 99],
    [1000, 1000, 100],
    [5, 0, 0],
    [5, 0.5, 0],
    [5, -2, 0],
    [-5, 10, 0],
    [20, 10, 100],
    [Number.NaN, 10, 0],
    [1, Number.NaN, 0],
  ])('%d of %d is %d', (part, of, expected) => expect(percent(part, of)).toBe(expected))
})

it('groups a count', () => expect(formatCount(1284)).toBe('1,284'))
