import { expect, it } from 'vitest'
import { pluralize } from './pluralize'

it('a count has the word in the right number', () => {
  expect(pluralize(0, 'device')).toBe('0 devices')
  expect(pluralize(1, 'device')).toBe('1 device')
  expect(pluralize(1284, 'device')).toBe('1,284 devices')
  expect(pluralize(1, 'entry', 'entries')).toBe('1 entry')
  expect(pluralize(2, 'entry', 'entries')).toBe('2 entries')
})
