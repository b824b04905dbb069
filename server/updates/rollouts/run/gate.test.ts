import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultGate } from '../../../../contract/updates/rollout-plans'
import { evaluateGate, evaluateHealth } from './gate'
import '../../../../tests/support/fixed-seed'

const counts = (succeeded: number, failed: number, running = 0, waiting = 0) => ({
  targeted: succeeded + failed + running + waiting,
  succeeded,
  failed,
  running,
  waiting,
})

describe('at least 90 % succeeded, at most 10 % failed, measured on 3 or more', () => {
  it.each([
    ['nothing has ended', counts(0, 0, 5, 95), 'open'],
    ['one failure of a hundred says nothing yet', counts(0, 1, 5, 94), 'open'],
    ['two of three failed', counts(1, 2, 5, 92), 'failed'],
    ['one of ten failed', counts(9, 1, 5, 85), 'open'],
    ['two of eleven failed', counts(9, 2, 5, 84), 'failed'],
    ['all of a wave of one succeeded', counts(1, 0), 'filled'],
    ['all of a wave of one failed', counts(0, 1), 'failed'],
    ['one of two failed, and the other cannot make up for it', counts(0, 1, 1), 'failed'],
    ['all ended well', counts(100, 0), 'filled'],
    ['ninety of a hundred', counts(90, 10), 'filled'],
    ['enough, but some are still under way', counts(95, 0, 2, 3), 'open'],
    ['enough, and the rest never came', counts(95, 0, 0, 5), 'filled'],
    ['not enough while the rest waits', counts(80, 0, 0, 20), 'open'],
    ['nobody is in the wave', counts(0, 0), 'filled'],
  ])('%s', (_, facts, verdict) => expect(evaluateGate(facts, defaultGate).verdict).toBe(verdict))
})

it('requires the minimum of successes when few failures are allowed', () => {
  const gate = { ...defaultGate, min_success_percent: 100, max_failure_percent: 50 }
  expect(evaluateGate(counts(3, 1), gate).verdict).toBe('failed')
  expect(evaluateGate(counts(4, 0), gate).verdict).toBe('filled')
})

it('returns its measurements', () => {
  const measured = evaluateGate(counts(1, 2, 0, 7), defaultGate)
  expect([measured.success_percent, measured.failure_percent]).toEqual([33.3, 66.7])
  expect(measured.text).toBe('2 of 3 failed, at most 10 % may')
})

it('one more failure never makes a failing wave pass', () => {
  const number = fc.integer({ min: 0, max: 30 })
  const gate = fc.record({
    min_success_percent: fc.integer({ min: 0, max: 100 }),
    max_failure_percent: fc.integer({ min: 0, max: 100 }),
    min_sample: fc.integer({ min: 1, max: 30 }),
    soak_s: fc.constant(0),
    then: fc.constant('continue' as const),
  })
  fc.assert(
    fc.property(number, number, fc.integer({ min: 1, max: 30 }), gate, (succeeded, failed, waiting, rules) => {
      const held = evaluateGate(counts(succeeded, failed, 0, waiting), rules).verdict === 'failed'
      const worse = evaluateGate(counts(succeeded, failed + 1, 0, waiting - 1), rules).verdict
      if (held) expect(worse).toBe('failed')
    }),
  )
})

describe('the health gate compares the share of devices in critical health with the one before the wave', () => {
  const wave = { targeted: 100, succeeded: 50 }
  it.each([
    ['none is critical', wave, { before: 0, critical: 0 }, true],
    ['two are, which can be chance', wave, { before: 0, critical: 2 }, true],
    ['three are, none was', wave, { before: 0, critical: 3 }, false],
    ['twice the share', wave, { before: 4, critical: 4 }, true],
    ['more than twice the share', wave, { before: 4, critical: 5 }, false],
    ['as many as before', { targeted: 10, succeeded: 10 }, { before: 5, critical: 5 }, true],
  ])('%s', (_, counts, critical, passes) => expect(evaluateHealth(counts, critical) === null).toBe(passes))
})
