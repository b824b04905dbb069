import { describe, expect, it } from 'vitest'
import { groupFingerprint, initialOf, truncateMiddle } from './names'

describe('initialOf (§2)', () => {
  it.each([
    ['ines.q@example.com', 'I'],
    ['  mara@example.com', 'M'],
    ['élodie@example.com', 'É'],
    ['', '?'],
    [null, '?'],
    [undefined, '?'],
  ])('%s: %s', (email, initial) => expect(initialOf(email)).toBe(initial))
})

describe('groupFingerprint', () => {
  const hex = '9f3a61c0e27b44d1'
  it('groups all of it', () => expect(groupFingerprint(hex)).toBe('9f3a 61c0 e27b 44d1'))
  it('cuts to the figures asked for', () => expect(groupFingerprint(hex, 12)).toBe('9f3a 61c0 e27b'))
  it('never cuts under eight', () => expect(groupFingerprint(hex, 2)).toBe('9f3a 61c0'))
})

describe('truncateMiddle', () => {
  it('keeps what fits', () => expect(truncateMiddle('abcdef', 6)).toBe('abcdef'))
  it('keeps both ends', () => expect(truncateMiddle('abcdefghij', 5)).toBe('ab…ij'))
})
