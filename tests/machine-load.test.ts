import { expect, it } from 'vitest'
import { slowness } from './support/machine-load'

it.each([
  [0, 2, 1],
  [2, 2, 1],
  [12, 2, 6],
  [200, 2, 12],
])('limits of waits at a load of %d on %d cores are %d times as long', (load, cores, times) => {
  expect(slowness(load, cores)).toBe(times)
})
