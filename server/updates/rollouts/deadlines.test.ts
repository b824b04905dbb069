import { describe, expect, it } from 'vitest'
import { updateStates } from '../../../contract/device/update-events'
import { backOffS, deadlineOf } from './deadlines'

const at = (seconds: number) => new Date(Date.UTC(2026, 5, 1) + seconds * 1000)
const limits = { pollingIntervalS: 60, updateTimeoutS: 7200 }
const timed = { since: at(100), offeredAt: at(0), grownAt: null }

describe('an update times out', () => {
  it.each([
    ['offered', {}, 220],
    ['downloading', {}, 1000],
    ['downloading', { grownAt: at(500) }, 1400],
    ['downloading', { grownAt: at(7000) }, 7200],
    ['downloaded', {}, 7300],
    ['verifying', {}, 7300],
    ['installing', {}, 7300],
    ['rebooting', {}, 1000],
    ['validating', {}, 1900],
  ] as const)('%s with %j after %i s', (state, facts, seconds) =>
    expect(deadlineOf({ ...timed, ...facts, state }, limits)).toEqual(at(seconds)),
  )

  const others = updateStates.filter(
    (state) => !['offered', 'downloading', 'downloaded', 'verifying', 'installing', 'rebooting', 'validating'].includes(state),
  )
  it.each(others)('never while %s', (state) => expect(deadlineOf({ ...timed, state }, limits)).toBeNull())
})

it('waits longer after each failure, and a day at most', () =>
  expect([1, 2, 3, 9, 10, 40].map(backOffS)).toEqual([300, 600, 1200, 76_800, 86_400, 86_400]))
