import { expect, it } from 'vitest'
import { hasGaps } from './gaps'

const rows = (...numbers: number[]) => numbers.map((sequence) => ({ sequence }))
const chain = { first_sequence: 3, head_sequence: 7 }

it('a log has gaps where entries of its chain are missing before, between or after its own', () => {
  expect(hasGaps(rows(7, 6, 5, 4, 3), chain, true)).toBe(false)
  expect(hasGaps(rows(6, 5, 4, 3), chain, true)).toBe(true)
  expect(hasGaps(rows(7, 5, 4, 3), chain, true)).toBe(true)
  expect(hasGaps(rows(7, 6), chain, true)).toBe(true)
})

it('what is not loaded yet is no gap', () => expect(hasGaps(rows(7, 6), chain, false)).toBe(false))
