import { expect, it } from 'vitest'
import { formatLineTime } from './verdict-display'

const noon = new Date(2026, 5, 2, 12, 30, 15)
const to = '2026-06-03T00:00:00+00:00'

it('the time of a line of a summary has its day where the summary is of more than one', () => {
  expect(formatLineTime(noon, { from: '2026-06-02T00:00:00+00:00', to })).toBe('12:30:15')
  expect(formatLineTime(noon, { from: '2026-05-27T00:00:00+00:00', to })).toBe('06/02 12:30:15')
})
