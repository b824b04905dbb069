import { expect, it } from 'vitest'
import { createRate } from './rate'

it('says bytes per second over the last three seconds, not over the whole upload', () => {
  let now = 0
  const rate = createRate(() => now)
  expect(rate(0)).toBe(0)
  now = 1000
  expect(rate(1000)).toBe(1000)
  for (const second of [2, 3, 4, 5, 6]) {
    now = second * 1000
    rate(1000)
  }
  expect(rate(1000)).toBe(0)
})
