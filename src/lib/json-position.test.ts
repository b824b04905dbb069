import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { brokenAt, formatJsonPosition } from './json-position'
import '../../tests/support/fixed-seed'

const parses = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('brokenAt', () => {
  it.each([
    ['{"a": 1\n  "b": 2}', 'Line 2, column 3: a comma or a closing bracket is expected'],
    ['{a: 1}', 'Line 1, column 2: a key in quotation marks is expected'],
    ['{"a" 1}', 'Line 1, column 6: a colon is expected'],
    ['{"a": }', 'Line 1, column 7: a value is expected'],
    ['{"a": 1,}', 'Line 1, column 9: a key in quotation marks is expected'],
    ['[1, 2', 'Line 1, column 6: a comma or ] is expected'],
    ['{"a": "b\n"}', 'Line 1, column 9: the closing quotation mark is expected'],
    ['{"a": "\\x"}', 'Line 1, column 7: a string with valid escapes is expected'],
    ['{"a": "\u0001"}', 'Line 1, column 7: a string without control characters is expected'],
    ['[1, -]', 'Line 1, column 5: a value is expected'],
    ['[1. ]', 'Line 1, column 4: a digit is expected'],
    ['[tru]', 'Line 1, column 2: a value is expected'],
    ['{} // so', 'Line 1, column 4: no comment is expected'],
    ['{"a": 1', 'Line 1, column 8: a comma or } is expected'],
    ['{} {}', 'Line 1, column 4: the end is expected'],
    ['01', 'Line 1, column 2: the end is expected'],
    ['', 'Line 1, column 1: a value is expected'],
  ])('%j: %s', (text, words) => {
    const place = brokenAt(text)
    expect(place && formatJsonPosition(place)).toBe(words)
  })

  it('agrees with the engine about everything that is JSON', () => {
    fc.assert(fc.property(fc.json(), (text) => brokenAt(text) === undefined))
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.integer({ min: 0, max: 8 }),
        (value, n) => brokenAt(JSON.stringify(value, null, n)) === undefined,
      ),
    )
  })

  it('agrees with the engine about texts that are nearly JSON, and points into them', () => {
    const nearly = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', ' ', '1', 'e', '\n', ':'))
    fc.assert(
      fc.property(nearly, ([json, n, put]) => {
        const at = n % (json.length + 1)
        const text = json.slice(0, at) + put + json.slice(at + 1)
        const place = brokenAt(text)
        return (place === undefined) === parses(text) && (place === undefined || place.at <= text.length)
      }),
      { numRuns: 2000 },
    )
  })

  it('handles deeply nested brackets', () => {
    expect(brokenAt('['.repeat(100_000))?.wanted).toBe('fewer levels')
  })
})
