import { expect, it } from 'vitest'
import { tokensOf } from './json-tokens'

it('keeps every character', () => {
  const line = '  "a\\"b": [ -1.5e3, true, null, "x: 1" ],'
  expect(
    tokensOf(line)
      .map(([, text]) => text)
      .join(''),
  ).toBe(line)
})

it('distinguishes keys from strings, and numbers from keywords', () => {
  expect(tokensOf('"interval": 3600')).toEqual([
    ['ink', '"interval"'],
    ['mark', ':'],
    ['ink', ' '],
    ['number', '3600'],
  ])
  expect(tokensOf('"on", false')).toEqual([
    ['string', '"on"'],
    ['mark', ','],
    ['ink', ' '],
    ['word', 'false'],
  ])
})
