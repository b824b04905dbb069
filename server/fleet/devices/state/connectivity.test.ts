import { expect, it } from 'vitest'
import { connectivityOf } from './connectivity'

const now = new Date('2026-05-01T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)

it.each([
  [0, 'online'],
  [150, 'online'],
  [151, 'late'],
  [240, 'late'],
  [241, 'offline'],
] as const)('a device that polls each minute and was last seen %i s ago is %s', (seconds, connectivity) => {
  expect(connectivityOf(ago(seconds), 60, now)).toBe(connectivity)
})

it('a device that never called was never seen', () => {
  expect(connectivityOf(null, 60, now)).toBe('never_seen')
})

it('a device whose last check-in is ahead of the clock is online', () => {
  expect(connectivityOf(ago(-5), 60, now)).toBe('online')
})
