import { expect, it } from 'vitest'
import { describePoint, timeWord } from './chart-point'

const day = 86_400
const noon = new Date(2026, 5, 2, 12).getTime() / 1000
const series = [
  { label: 'mean', values: [1, 40.126], upper: [2, 1500] },
  { label: 'other', values: [1, null] },
]

it('a point of a chart has its clock time, its values and their unit', () => {
  expect(describePoint({ times: [noon - day, noon], series, unit: '%' }, 1)).toBe('12:00:00 · mean 40.13 to 1.5K · other – %')
})

it('a point of a chart of several days has its day', () => {
  expect(describePoint({ times: [noon - 3 * day, noon], series, unit: '%' }, 1)).toBe(
    '06/02/2026 12:00 PM · mean 40.13 to 1.5K · other – %',
  )
})

it('labels of a time axis differ from each other, however short the span', () => {
  const labels = (span: number, step: number) => [0, 1, 2].map((n) => timeWord(noon + n * step, span, step))
  expect(labels(90, 30)).toEqual(['12:00:00', '12:00:30', '12:01:00'])
  expect(labels(3600, 900)).toEqual(['12:00', '12:15', '12:30'])
  expect(labels(7 * day, day)).toEqual(['06/02', '06/03', '06/04'])
})
