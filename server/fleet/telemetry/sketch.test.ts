import fc from 'fast-check'
import { expect, it } from 'vitest'
import { binOf, valueOf } from './sketch'
import '../../../tests/support/fixed-seed'

it('finds a value again within 2 %', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-8, max: 1e12, noNaN: true }), fc.boolean(), (size, negative) => {
      const value = negative ? -size : size
      expect(Math.abs(valueOf(binOf(value)) - value) / size).toBeLessThan(0.0202)
    }),
  )
})

it('keeps the order of values', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.double({ min: -1e9, max: 1e9, noNaN: true }), (a, b) => {
      const [low, high] = a < b ? [a, b] : [b, a]
      expect(binOf(low)).toBeLessThanOrEqual(binOf(high))
    }),
  )
})

it('returns null for no values', () => {
  expect([binOf(0), valueOf(0)]).toEqual([0, 0])
})
