import { expect, it } from 'vitest'
import type { UpdateEvent } from '../../../../contract/updates/device-updates'
import type { Device } from '../../../../contract/fleet/devices'
import { type Attempt, expectsReports, phasesOf } from './attempts'

const event = (to_state: string, ts_ms: number) => ({ to_state, ts_ms, reason_code: null }) as UpdateEvent // what phases read
const attempt = (...events: UpdateEvent[]): Attempt => ({ key: '', name: 'Gateway #1', attempt: 1, events: events.toReversed() })

it('says how long the present phase takes so far, and never less than nothing', () => {
  const running = attempt(event('offered', 1000), event('downloading', 3000))
  const phaseAt = (ms: number) => phasesOf(running, new Date(ms)).filter(({ duration }) => duration !== undefined)
  expect(phaseAt(13_000)).toEqual([
    { name: 'offered', state: 'passed', duration: '2 s' },
    { name: 'downloading', state: 'current', duration: '10 s so far' },
  ])
  expect(phaseAt(1000).at(-1)?.duration).toBe('0 s so far')
  expect(phasesOf(running).find(({ state }) => state === 'current')?.duration).toBeUndefined()
})

it('says nothing of the sort when the attempt has ended', () => {
  const ended = attempt(event('offered', 1000), event('downloading', 3000), event('failed', 8000))
  expect(phasesOf(ended, new Date(60_000)).filter(({ duration }) => duration !== undefined)).toEqual([
    { name: 'offered', state: 'passed', duration: '2 s' },
    { name: 'downloading', state: 'stopped', duration: '5 s' },
  ])
})

it('expects reports while the update is under way, and until the last one has arrived', () => {
  const update = (state: string) => ({ rollout_id: 'r', attempt: 1, state }) as Device['update'] // what is compared
  const reported = (state: string) => [attempt({ ...event(state, 1000), rollout_id: 'r' })]
  expect(expectsReports(reported('downloading'), update('downloading'))).toBe(true)
  expect(expectsReports(reported('downloading'), update('failed'))).toBe(true)
  expect(expectsReports(reported('failed'), update('failed'))).toBe(false)
  expect(expectsReports([], update('skipped'))).toBe(false)
  expect(expectsReports(reported('downloading'), update('queued'))).toBe(false)
  expect(expectsReports([], null)).toBe(false)
})
