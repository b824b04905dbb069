import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { dayOf, daysAgo, endOf, formatDayRange, startOf } from './day-range'

describe('a range of days', () => {
  it('goes from the first second of a day to the last, in the zone of the reader', () => {
    expect(new Date(startOf('2026-03-29')).getTime()).toBe(new Date(2026, 2, 29, 0, 0, 0).getTime())
    expect(new Date(endOf('2026-03-29')).getTime()).toBe(new Date(2026, 2, 29, 23, 59, 59).getTime())
    expect(startOf('2026-03-29')).toMatch(/^2026-03-29T00:00:00[+-]\d\d:\d\d$/)
  })

  it('comes back as the day that was chosen', () => {
    expect(dayOf(startOf('2026-10-25'))).toBe('2026-10-25')
    expect(dayOf(endOf('2026-10-25'))).toBe('2026-10-25')
    expect(dayOf('soon')).toBe('')
    expect(daysAgo(new Date(2026, 2, 1, 9), 1)).toBe('2026-02-28')
  })

  it.each([
    // Clocks go forward at midnight: the day begins at one.
    ['Africa/Cairo', '2026-04-24', '2026-04-24T01:00:00+03:00', '2026-04-24T23:59:59+03:00'],
    // They go back at midnight: the last hour comes twice.
    ['America/Santiago', '2026-04-04', '2026-04-04T00:00:00-03:00', '2026-04-04T23:59:59-04:00'],
    ['Europe/Vienna', '2026-10-25', '2026-10-25T00:00:00+02:00', '2026-10-25T23:59:59+01:00'],
  ])('of %s contains the whole day %s', (zone, day, first, last) => {
    vi.stubEnv('TZ', zone)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect([startOf(day), endOf(day)]).toEqual([first, last])
    expect([dayOf(startOf(day)), dayOf(endOf(day))]).toEqual([day, day])
  })

  it('is formatted as short as possible', () => {
    expect(formatDayRange(startOf('2026-11-20'), endOf('2026-11-20'))).toBe('11/20/2026')
    expect(formatDayRange(startOf('2026-11-13'), endOf('2026-11-20'))).toBe('11/13/2026 – 11/20/2026')
    expect(formatDayRange(startOf('2026-11-13'), undefined)).toBe('since 11/13/2026')
    expect(formatDayRange(undefined, endOf('2026-11-13'))).toBe('until 11/13/2026')
  })
})
