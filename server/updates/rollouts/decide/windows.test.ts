import { describe, expect, it } from 'vitest'
import type { MaintenanceWindow } from '../../../../contract/updates/rollout-plans'
import { windowAt } from './windows'

const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const nightly: MaintenanceWindow = { days: [...week], from: '22:00', to: '04:00', zone: 'Europe/Berlin' }
const at = (text: string) => new Date(text)
const told = (window: MaintenanceWindow, zone: string | null, now: string) => {
  const { open, until } = windowAt(window, zone, at(now))
  return [open, until?.toISOString().slice(0, 16) ?? null]
}

describe('a window over midnight', () => {
  it.each([
    ['2026-06-03T19:59:59Z', false, '2026-06-03T20:00'],
    ['2026-06-03T20:00:00Z', true, '2026-06-04T02:00'],
    ['2026-06-03T22:00:00Z', true, '2026-06-04T02:00'],
    ['2026-06-04T01:59:59Z', true, '2026-06-04T02:00'],
    ['2026-06-04T02:00:00Z', false, '2026-06-04T20:00'],
  ])('at %s is open: %s, until %s', (now, open, until) => expect(told(nightly, null, now)).toEqual([open, until]))

  it('belongs to the day on which it starts', () => {
    const fridays: MaintenanceWindow = { ...nightly, days: ['fri'] }
    expect(told(fridays, null, '2026-06-05T21:00:00Z')).toEqual([true, '2026-06-06T02:00'])
    expect(told(fridays, null, '2026-06-06T01:00:00Z')).toEqual([true, '2026-06-06T02:00'])
    expect(told(fridays, null, '2026-06-05T01:00:00Z')).toEqual([false, '2026-06-05T20:00'])
    expect(told(fridays, null, '2026-06-06T21:00:00Z')).toEqual([false, '2026-06-12T20:00'])
  })
})

describe('when clocks change', () => {
  // Berlin, 29 March 2026: 02:00 becomes 03:00. 25 October 2026: 03:00 becomes 02:00.
  it.each([
    ['2026-03-28T21:30:00Z', [true, '2026-03-29T02:00']],
    ['2026-03-28T20:59:00Z', [false, '2026-03-28T21:00']],
    ['2026-03-29T02:30:00Z', [false, '2026-03-29T20:00']],
    ['2026-10-24T20:30:00Z', [true, '2026-10-25T03:00']],
    ['2026-10-25T02:59:00Z', [true, '2026-10-25T03:00']],
    ['2026-10-25T12:00:00Z', [false, '2026-10-25T21:00']],
  ])('the wall clock decides at %s', (now, expected) => expect(told(nightly, null, now)).toEqual(expected))
})

it('uses the time zone of the device where required, and UTC where it has none', () => {
  const morning: MaintenanceWindow = { days: [...week], from: '06:00', to: '08:00', zone: 'device' }
  expect(told(morning, 'Asia/Tokyo', '2026-06-03T21:30:00Z')).toEqual([true, '2026-06-03T23:00'])
  expect(told(morning, null, '2026-06-03T07:00:00Z')).toEqual([true, '2026-06-03T08:00'])
  expect(told(morning, 'Not/AZone', '2026-06-03T07:00:00Z')).toEqual([true, '2026-06-03T08:00'])
})

it('joins adjacent windows, and never ends when there is no gap', () => {
  const days: MaintenanceWindow = { days: ['mon', 'tue'], from: '12:00', to: '12:00', zone: 'UTC' }
  expect(told(days, null, '2026-06-01T13:00:00Z')).toEqual([true, '2026-06-03T12:00'])
  expect(told({ ...days, days: [...week] }, null, '2026-06-01T13:00:00Z')).toEqual([true, null])
})
