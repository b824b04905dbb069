import { expect, it } from 'vitest'
import { describePoint } from './chart-point'

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
