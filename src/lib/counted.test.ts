import { expect, it } from 'vitest'
import { counted } from './counted'

it('a count takes the word that fits it', () => {
  expect(counted(0, 'device')).toBe('0 devices')
  expect(counted(1, 'device')).toBe('1 device')
  expect(counted(1284, 'device')).toBe('1,284 devices')
  expect(counted(1, 'entry', 'entries')).toBe('1 entry')
  expect(counted(2, 'entry', 'entries')).toBe('2 entries')
})
