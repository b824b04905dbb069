import { expect, it } from 'vitest'
import { byDay, type TimelineEntry, withoutSeries } from './timeline-days'

const entry = (kind: string, text: string, wave: number | null = 1, at = '2026-06-01T12:00:00+00:00'): TimelineEntry => ({
  at,
  kind,
  text,
  wave,
  by: null,
})

it('a timeline is newest first and keeps only the last of a series of measurements of one wave', () => {
  const entries = [
    entry('rollout.started', 'Started'),
    entry('gate.measured', '1 of 3 have ended'),
    entry('gate.measured', '2 of 3 have ended'),
    entry('gate.passed', 'Wave 1 has passed'),
    entry('gate.measured', '1 of 9 have ended', 2),
    entry('gate.measured', '1 of 5 have ended', 3),
  ]
  expect(withoutSeries(entries).map(({ text }) => text)).toEqual([
    '1 of 5 have ended',
    '1 of 9 have ended',
    'Wave 1 has passed',
    '2 of 3 have ended',
    'Started',
  ])
})

it('a timeline has one section per day', () => {
  const days = byDay([
    entry('gate.passed', 'b', 1, '2026-06-03T12:00:00+00:00'),
    entry('gate.passed', 'a', 1, '2026-06-01T12:01:00+00:00'),
    entry('rollout.started', 'a', 1, '2026-06-01T12:00:00+00:00'),
  ])
  expect(days.map(({ date, entries }) => [date, entries.length])).toEqual([
    ['06/03/2026', 1],
    ['06/01/2026', 2],
  ])
})
