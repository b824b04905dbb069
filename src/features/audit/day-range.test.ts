import { describe, expect, it } from 'vitest'
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

  it('is formatted as short as possible', () => {
    expect(formatDayRange(startOf('2026-11-20'), endOf('2026-11-20'))).toBe('11/20/2026')
    expect(formatDayRange(startOf('2026-11-13'), endOf('2026-11-20'))).toBe('11/13/2026 – 11/20/2026')
    expect(formatDayRange(startOf('2026-11-13'), undefined)).toBe('since 11/13/2026')
    expect(formatDayRange(undefined, endOf('2026-11-13'))).toBe('until 11/13/2026')
  })
})
