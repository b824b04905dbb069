import { is } from 'superstruct'
import { describe, expect, it } from 'vitest'
import { endpoints } from '../../contract/endpoints'
import { fieldsOf } from '../../tests/support/bad-values'
import { checkNames, findUnseen } from './unseen'

describe('a name', () => {
  it.each([
    ['reads backwards by U+202E', '\u202eevil', 'U+202E'],
    ['has a direction mark', 'gw\u200e-1', 'U+200E'],
    ['has an isolate', 'gw\u2066-1\u2069', 'U+2066'],
    ['has a space without width', 'gw\u200b-1', 'U+200B'],
    ['has a joiner between letters that never join', 'gw\u200d-1', 'U+200D'],
    ['has a joiner twice', 'می\u200c\u200cخواهم', 'U+200C'],
    ['has a word joiner', 'gw\u2060-1', 'U+2060'],
    ['has a soft hyphen', 'gate\u00adway', 'U+00AD'],
    ['is a Hangul filler only', '\u3164', 'U+3164'],
    ['is a blank of Braille only', '\u2800', 'U+2800'],
    ['has a byte order mark inside', 'gw\ufeff-1', 'U+FEFF'],
    ['has a variation selector after a letter', 'gw\ufe0f', 'U+FE0F'],
    ['hides letters in tags', 'gw\u{e0061}\u{e0062}', 'U+E0061'],
    ['has a control character of C1', 'gw\u0085x', 'U+0085'],
    ['has a separator of lines inside', 'gw\u2028x', 'U+2028'],
  ])('is refused when it %s', (_, value, shown) => {
    expect(findUnseen(value)).toBe(shown)
  })

  it.each([
    ['Arabic', 'بوابة السطح'],
    ['Persian with a joiner', 'می\u200cخواهم'],
    ['Hindi with a joiner', 'क्\u200dष'],
    ['Sinhala with a joiner', 'ශ්\u200dරී'],
    ['Japanese with a variation of a sign', '葛\u{e0100}飾区'],
    ['Korean', '게이트웨이'],
    ['Hebrew', 'שער'],
    ['accents in two ways', 'Kühlhaus Ku\u0308hlhaus'],
    ['a heart in colour', 'Lab ❤\ufe0f'],
    ['a key of a phone', '1\ufe0f\u20e3'],
    ['a family', '👩\u200d👩\u200d👧'],
    ['a person with a tone of skin at work', '👩🏽\u200d🔧'],
    ['a flag of a region', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['a space that does not break', 'gw\u00a01'],
  ])('may be written in %s', (_, value) => {
    expect(findUnseen(value)).toBeUndefined()
  })
})

it('Names in a body are checked, and other texts are not', () => {
  const bad = '\u202egw'
  expect(checkNames({ name: 'gw', notes: bad })).toBeUndefined()
  expect(checkNames(undefined)).toBeUndefined()
  expect(checkNames({ name: bad, notes: bad, hardware_models: ['gw', bad] })).toEqual([
    { field: 'name', code: 'unseen', message: 'Remove characters that cannot be seen, like U+202E' },
    { field: 'hardware_models', code: 'unseen', message: 'Remove characters that cannot be seen, like U+202E' },
  ])
})

it('Every name that people give in a body is checked', () => {
  const bad = '\u202egateway'
  const named = Object.entries(endpoints).flatMap(([endpoint, { body }]) =>
    Object.entries(fieldsOf(body)).flatMap(([field, struct]) =>
      /^(?!confirm_).*name$/.test(field) ? [{ endpoint, field, struct }] : [],
    ),
  )
  expect(named.length).toBeGreaterThan(20)
  const taken = named.filter(({ field, struct }) => is(bad, struct) && checkNames({ [field]: bad }) === undefined)
  expect(taken.map(({ endpoint, field }) => `${endpoint}: ${field}`)).toEqual([])
})
