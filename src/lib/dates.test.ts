import { describe, expect, it } from 'vitest'
import { formatAgo, formatAhead, formatClock, formatDate, formatExact, parseTime } from './dates'
import { formatDuration } from './durations'

const now = new Date(2026, 10, 20, 13, 0, 0)
const ago = (seconds: number) => formatAgo(new Date(now.getTime() - seconds * 1000), now)
const ahead = (seconds: number) => formatAhead(new Date(now.getTime() + seconds * 1000), now)

describe('parseTime (§3, §8)', () => {
  it('reads the server format with its offset', () =>
    expect(parseTime('2026-11-20T12:41:00+02:00').toISOString()).toBe('2026-11-20T10:41:00.000Z'))
  it('reads Z and fractions', () => expect(parseTime('2026-11-20T12:41:00.25Z').toISOString()).toBe('2026-11-20T12:41:00.250Z'))
  it.each(['', 'yesterday', '2026-11-20', '2026-13-40T00:00:00+00:00', '2026-11-20T12:41:00', '12:41'])(
    '"%s" gives the Invalid Date',
    (text) => expect(parseTime(text).getTime()).toBeNaN(),
  )
})

describe('display', () => {
  it('is MM/dd/yyyy hh:mm a (§9)', () => {
    expect(formatDate(new Date(2026, 10, 20, 12, 41))).toBe('11/20/2026 12:41 PM')
    expect(formatDate(new Date(2026, 0, 2, 0, 5))).toBe('01/02/2026 12:05 AM')
  })
  it('is HH:mm:ss in logs', () => expect(formatClock(new Date(2026, 0, 2, 22, 4, 9))).toBe('22:04:09'))
  it('says seconds and offset on hover', () => expect(formatExact(now)).toMatch(/^11\/20\/2026 01:00:00 PM [+-]\d{2}:\d{2}$/))
  it('never throws on a bad date', () => {
    const bad = parseTime('bad')
    expect([formatDate(bad), formatExact(bad), formatClock(bad), formatAgo(bad, now), formatAhead(bad, now)]).toEqual(
      Array.from({ length: 5 }, () => 'Invalid Date'),
    )
  })
})

describe('formatAgo', () => {
  it.each([
    [-500, 'now'],
    [0, 'now'],
    [1, '1 s ago'],
    [18, '18 s ago'],
    [59, '59 s ago'],
    [60, '1 min ago'],
    [3599, '59 min ago'],
    [3600, '1 h ago'],
    [86_399, '23 h ago'],
    [86_400, '1 d ago'],
    [40 * 86_400, '40 d ago'],
  ])('%d seconds: %s', (seconds, text) => expect(ago(seconds)).toBe(text))
})

describe('formatAhead', () => {
  it.each([
    [-5, 'now'],
    [45, 'in 45 s'],
    [11 * 86_400, 'in 11 d'],
  ])('%d seconds: %s', (seconds, text) => expect(ahead(seconds)).toBe(text))
})

describe('formatDuration', () => {
  it.each([
    [-3, '0 s'],
    [18.9, '18 s'],
    [64, '1 min 04 s'],
    [300, '5 min'],
    [1800, '30 min'],
    [3600, '1 h'],
    [3900, '1 h 05 min'],
    [5820, '1 h 37 min'],
    [86_400, '1 d'],
    [187_200, '2 d 4 h'],
    [Number.NaN, '–'],
  ])('%d: %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text))
})
