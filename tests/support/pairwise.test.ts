import { expect, it } from 'vitest'
import { pairwise } from './pairwise'

it('each two values of two factors are together in a row, in far fewer rows than combinations', () => {
  const factors = { a: [1, 2, 3], b: ['x', 'y'], c: [true, false], d: [0, 1, 2], e: ['k', 'l'], f: [null, 5] }
  const rows = pairwise(factors)
  const names = Object.keys(factors) as (keyof typeof factors)[]
  for (const one of names)
    for (const other of names)
      if (one !== other)
        for (const value of factors[one])
          for (const beside of factors[other]) expect(rows.some((row) => row[one] === value && row[other] === beside)).toBe(true)
  expect(rows.length).toBeLessThan(16)
})
