import { describe, expect, it } from 'vitest'
import type { Rollout, WaveStatus } from '../../../../contract/rollouts'
import { describeNext, describeOutcome } from './next-step'

const now = new Date('2026-06-01T12:00:00Z')
const counts = { targeted: 13, succeeded: 0, failed: 0, running: 0, claimed: 0, waiting: 0 }
const gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 600, then: 'continue' as const }
const wave = (n: number, change: Partial<WaveStatus> = {}): WaveStatus => ({
  n,
  state: 'waiting',
  percent: n * 50,
  tag: null,
  counts,
  success_percent: null,
  failure_percent: null,
  gate,
  counts_from: null,
  started_at: null,
  soak_until: null,
  ...change,
})
// The other fields are not read.
const rollout = (change: Partial<Rollout>) =>
  ({
    state: 'running',
    started_at: '2026-06-01T11:00:00+00:00',
    current_wave: 1,
    waves: [wave(1), wave(2)],
    counts,
    created_by: null,
    approval: null,
    ...change,
  }) as Rollout

describe('the outcome of a rollout', () => {
  it.each([
    [{ succeeded: 4, waiting: 9 }, '4 of 13 succeeded'],
    [{ failed: 13 }, '13 of 13 failed'],
    [{ failed: 2, succeeded: 4, waiting: 7 }, '2 of 13 failed, 4 succeeded'],
    [{ succeeded: 9, running: 4, claimed: 3 }, '9 confirmed, 3 claimed'],
    [{ failed: 1, succeeded: 9, running: 3, claimed: 3 }, '1 of 13 failed, 9 confirmed, 3 claimed'],
    [{ succeeded: 9, claimed: 1, running: 3 }, '9 confirmed, 1 claimed, 1 left out'],
    [{ succeeded: 4, waiting: 7 }, '4 of 13 succeeded, 2 left out'],
    [{ failed: 2, succeeded: 4, running: 6 }, '2 of 13 failed, 4 succeeded, 1 left out'],
  ])('with %j is: %s', (some, text) => {
    expect(describeOutcome(rollout({ counts: { ...counts, ...some } }))).toBe(text)
  })

  it('before the start is the number of its devices', () => {
    expect(describeOutcome(rollout({ state: 'draft', started_at: null }))).toBe('13 devices targeted')
  })
})

describe('the next step of a rollout', () => {
  const soaking = { state: 'soaking' as const, soak_until: '2026-06-01T12:09:30+00:00' }

  it('names the wave that opens, and when', () => {
    expect(describeNext(rollout({ waves: [wave(1, soaking), wave(2)] }), now)).toBe('Wave 2 opens in 9 min')
    expect(describeNext(rollout({}), now)).toBe('Wave 2 opens when wave 1 passes its gate')
  })

  it('says that a person opens the next wave where the gate asks for one', () => {
    const asking = wave(1, { ...soaking, gate: { ...gate, then: 'wait_for_user' } })
    expect(describeNext(rollout({ waves: [asking, wave(2)] }), now)).toBe(
      'Waits for a person before wave 2, in 9 min at the earliest',
    )
  })

  it('of the last wave is the end', () => {
    const last = { current_wave: 2, waves: [wave(1), wave(2, soaking)] }
    expect(describeNext(rollout(last), now)).toBe('Ends in 9 min')
    expect(describeNext(rollout({ ...last, counts: { ...counts, waiting: 2 } }), now)).toBe('Ends when 2 more devices have ended')
  })

  it('of a halted one names who resumes it, and an ended one has none', () => {
    expect(describeNext(rollout({ state: 'halted' }), now)).toBe('Waits until someone who may manage releases resumes it')
    expect(describeNext(rollout({ state: 'cancelling', counts: { ...counts, running: 1 } }), now)).toBe(
      'Ends when 1 running update has ended',
    )
    expect(describeNext(rollout({ state: 'completed' }), now)).toBeUndefined()
  })
})
