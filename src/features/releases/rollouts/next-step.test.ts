import { describe, expect, it } from 'vitest'
import type { Rollout, WaveStatus } from '../../../../contract/updates/rollouts'
import { formatDate } from '../../../lib/dates'
import { describeNext, describeNextWait, describeOutcome } from './next-step'

const now = new Date('2026-06-01T12:00:00Z')
const counts = { targeted: 13, succeeded: 0, failed: 0, running: 0, claimed: 0, waiting: 0 }
const gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 600, then: 'continue' as const }
const wave = (n: number, change: Partial<WaveStatus> = {}): WaveStatus => ({
  n,
  state: 'waiting',
  percent: n * 50,
  tag: null,
  counts,
  returned: 0,
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
    ways_back: [],
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

  it('says how many are back, and at what', () => {
    const way = { rollout_id: 'r', name: 'Back', version: 1, display_version: '1.0.0', returned: 12 }
    const done = { ...counts, succeeded: 13 }
    const text = (...ways_back: Rollout['ways_back']) => describeOutcome(rollout({ counts: done, ways_back }))
    expect(text(way)).toBe('13 of 13 succeeded, 12 of them back at 1.0.0 since')
    expect(text(way, { ...way, version: 2, display_version: null, returned: 1 })).toBe(
      '13 of 13 succeeded, 13 of them back at 1.0.0 and v2 since',
    )
    expect(text({ ...way, returned: 0 })).toBe('13 of 13 succeeded')
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

describe('the device that is next', () => {
  const wait = {
    device_id: 'd',
    device_name: 'gw-7',
    reason: 'The maintenance window is closed',
    until: '2026-06-02T08:00:00+00:00',
  }
  const text = (change: Partial<typeof wait> | { until: null }, waiting = 2) =>
    describeNextWait({ counts: { ...counts, waiting }, next_wait: { ...wait, ...change } }, now)

  it('is named with the clock time and its reason', () => {
    const clock = formatDate(new Date(wait.until))
    expect(text({})).toBe(`Next is gw-7 at ${clock} (in 20 h): the maintenance window is closed`)
    expect(text({}, 51)).toBe(`Among the next is gw-7 at ${clock} (in 20 h): the maintenance window is closed`)
    expect(text({ until: '2026-06-01T11:00:00+00:00' })).toContain('(overdue 1 h)')
    expect(text({ until: null })).toBe('Next is gw-7: the maintenance window is closed')
    expect(describeNextWait({ counts, next_wait: null }, now)).toBeUndefined()
  })
})
