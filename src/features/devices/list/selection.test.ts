import { expect, it } from 'vitest'
import { bulkLimits } from '../../../../contract/fleet/device-jobs'
import {
  type Chosen,
  countChosen,
  describeTooMany,
  everything,
  extendTo,
  isChosen,
  nothing,
  shareOf,
  toggleRow,
  toggleRows,
} from './selection'

const rows = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))
const chosenOf = (chosen: Chosen) =>
  rows
    .map(({ id }) => id)
    .filter((id) => isChosen(chosen, id))
    .join('')

it('selects a row, and a range from it in both directions, as the last row becomes', () => {
  const one = toggleRow(nothing, rows, 2, false)
  expect(chosenOf(one)).toBe('c')
  expect(chosenOf(toggleRow(one, rows, 4, true))).toBe('cde')
  const back = toggleRow(one, rows, 0, true)
  expect(chosenOf(back)).toBe('abc')
  expect(chosenOf(toggleRow(back, rows, 1, true))).toBe('a')
  expect(chosenOf(toggleRow(one, rows, 9, false))).toBe('c')
})

it('extends a range by keys from the row that is left', () => {
  const two = extendTo(nothing, rows, 1, 2)
  expect(chosenOf(two)).toBe('bc')
  expect(chosenOf(extendTo(two, rows, 2, 3))).toBe('bcd')
})

it('shrinks a range by keys down to where it began, and grows it on the other side', () => {
  const apart = toggleRow(toggleRow(nothing, rows, 4, false), rows, 1, false)
  const range = extendTo(extendTo(apart, rows, 1, 2), rows, 2, 3)
  expect(chosenOf(range)).toBe('bcde')
  const less = extendTo(range, rows, 3, 2)
  expect(chosenOf(less)).toBe('bce')
  const least = extendTo(less, rows, 2, 1)
  expect(chosenOf(least)).toBe('be')
  expect(chosenOf(extendTo(least, rows, 1, 0))).toBe('abe')
  expect(chosenOf(extendTo(range, rows, 3, 0))).toBe('abe')
})

it('counts all that match without those that were taken out', () => {
  const without = toggleRow(everything, rows, 3, false)
  expect(chosenOf(without)).toBe('abce')
  expect(countChosen(without, 50_000)).toBe(49_999)
  expect(countChosen(toggleRow(without, rows, 3, false), 50_000)).toBe(50_000)
  expect(countChosen(toggleRow(nothing, rows, 3, false), 50_000)).toBe(1)
})

it('the head selects the rows that are loaded, and clears them', () => {
  const some = toggleRow(nothing, rows, 3, false)
  expect([shareOf(nothing, rows), shareOf(some, rows)]).toEqual(['none', 'some'])
  const all = toggleRows(some, rows)
  expect([shareOf(all, rows), chosenOf(all)]).toEqual(['all', 'abcde'])
  expect(chosenOf(toggleRows(all, rows))).toBe('')
})

it('says before the server does that more were selected one by one than a request may name', () => {
  const ids = Array.from({ length: bulkLimits.ids }, (_, n) => String(n))
  expect(describeTooMany({ ids })).toBeUndefined()
  expect(describeTooMany({ ids: [...ids, 'more'] })).toBe(
    'More than 10,000 devices were selected one by one. Use “Select all matching” instead.',
  )
  expect(describeTooMany({ filter: {}, excluded_ids: ids })).toBeUndefined()
  expect(describeTooMany({ filter: {}, excluded_ids: [...ids, 'more'] })).toBe(
    'More than 10,000 devices were taken out. Use a filter instead.',
  )
})
