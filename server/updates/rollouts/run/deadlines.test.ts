import { describe, expect, it } from 'vitest'
import { updateStates } from '../../../../contract/device/update-events'
import { defaultBackoff } from '../../../../contract/updates/rollout-plans'
import { backOffS, deadlineOf } from './deadlines'

const at = (seconds: number) => new Date(Date.UTC(2026, 5, 1) + seconds * 1000)
const limits = { protocol: 'teasel' as const, pollingIntervalS: 60, updateTimeoutS: 7200, confirmWithinS: 3000 }
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
    ['claimed', {}, 3100],
  ] as const)('%s with %j after %i s', (state, facts, seconds) =>
    expect(deadlineOf({ ...timed, ...facts, state }, limits)).toEqual(at(seconds)),
  )

  it.each([
    [30, 280],
    [60, 280],
    [300, 700],
  ])('of a DDI device at an interval of %i s: not before its client has missed two of the sleeps of an update', (s, seconds) =>
    expect(deadlineOf({ ...timed, state: 'offered' }, { ...limits, protocol: 'ddi', pollingIntervalS: s })).toEqual(at(seconds)),
  )

  it.each(['rebooting', 'claimed'] as const)('of a DDI device while %s at the end of its time to confirm', (state) =>
    expect(deadlineOf({ ...timed, state }, { ...limits, protocol: 'ddi' })).toEqual(at(3100)),
  )

  const others = updateStates.filter(
    (state) =>
      !['offered', 'downloading', 'downloaded', 'verifying', 'installing', 'rebooting', 'validating', 'claimed'].includes(state),
  )
  it.each(others)('never while %s', (state) => expect(deadlineOf({ ...timed, state }, limits)).toBeNull())
})

it('by default the wait doubles after each failure, up to a day', () =>
  expect([1, 2, 3, 9, 10, 40].map((attempts) => backOffS(attempts, defaultBackoff))).toEqual([
    300, 600, 1200, 76_800, 86_400, 86_400,
  ]))

it('the wait follows the back-off of the rollout', () => {
  const wait = (attempts: number, factor: number) => backOffS(attempts, { first_s: 60, factor, max_s: 1000 })
  expect([1, 2, 3, 4].map((attempts) => wait(attempts, 3))).toEqual([60, 180, 540, 1000])
  expect([1, 2, 3, 4].map((attempts) => wait(attempts, 1))).toEqual([60, 60, 60, 60])
})
