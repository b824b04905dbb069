import fc from 'fast-check'
import { is } from 'superstruct'
import { describe, expect, it } from 'vitest'
import { LogLine } from '../../../contract/device/api'
import { repetitions } from '../../../tests/support/counts'
import '../../../tests/support/fixed-seed'
import { sanitizeText } from '../../core/plain-text'
import { readLines } from './log-lines'

const boot_id = '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11'
const line = (facts: object) =>
  JSON.stringify({ sequence: 1, ts_ms: 1000, level: 'info', unit: 'kernel', message: 'up', boot_id, ...facts })

describe('T-19: a line of a device', () => {
  it.each([
    ['a terminal command', '\u001b[2Jgone', '\\e[2Jgone'],
    ['a second line', 'ok\r\nroot: fine', 'ok\\r\\nroot: fine'],
    ['a NUL', 'a\u0000b', 'a\\u0000b'],
    ['text that turns around', 'a\u202eb', 'a\\u202eb'],
    ['half a character', 'a\ud800b', 'a\ufffdb'],
    ['a tab', 'a\tb', 'a\tb'],
    ['plain text', 'Grüße 🚀', 'Grüße 🚀'],
  ])('cannot carry %s unseen', (_, given, shown) => {
    expect(sanitizeText(given, 100)).toBe(shown)
  })

  it('is cut with a mark, by characters', () => {
    expect(sanitizeText('🚀'.repeat(20), 10)).toBe(`${'🚀'.repeat(9)}…`)
  })

  it('takes at most 16 fields of text', () => {
    const fields = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}`, n]))
    const [read] = readLines(Buffer.from(line({ fields })))?.lines ?? []
    expect(Object.keys(read?.fields ?? {})).toHaveLength(16)
    expect(read?.fields.f3).toBe('3')
  })
})

it('T-33: secrets of known forms are masked before a line is stored', () => {
  const told = { message: 'mqtt connect password=hunter2', fields: { secret: 'two words', attempt: 3 } }
  expect(readLines(Buffer.from(line(told)))?.lines).toMatchObject([
    { message: 'mqtt connect password=[masked]', fields: { secret: '[masked]', attempt: '3' } },
  ])
})

const oddValue = fc.oneof(
  fc.constantFrom(
    'info',
    'loud',
    '',
    'x'.repeat(128),
    'x'.repeat(129),
    boot_id,
    boot_id.toUpperCase(),
    null,
    true,
    [],
    {},
    { a: 1 },
  ),
  fc.constantFrom(0, 1, -1, 1.5, 2 ** 53 - 1, 2 ** 53, 8_640_000_000_000_000, 8_640_000_000_000_001),
)
const oddFacts = fc.dictionary(
  fc.constantFrom('sequence', 'ts_ms', 'level', 'unit', 'message', 'boot_id', 'pid', 'fields', 'other', 'toString'),
  oddValue,
  { maxKeys: 3 },
)

it('a line is accepted exactly if it fits the contract', () => {
  fc.assert(
    fc.property(oddFacts, fc.subarray(['sequence', 'ts_ms', 'level', 'unit', 'message', 'boot_id']), (facts, missing) => {
      const value: Record<string, unknown> = JSON.parse(line(facts))
      if (missing.length === 1) delete value[missing[0] ?? '']
      expect(readLines(Buffer.from(JSON.stringify(value)))?.lines.length).toBe(is(value, LogLine) ? 1 : 0)
    }),
    { numRuns: repetitions(2000, 20_000) },
  )
})

describe('a body', () => {
  it('loses only its invalid lines', () => {
    const body = [line({ sequence: 1 }), '{"sequence":', line({ level: 'loud' }), '', line({ sequence: 2 })].join('\n')
    expect(readLines(Buffer.from(body))).toMatchObject({
      dropped: { malformed: 2, too_long: 0 },
      count: 4,
      lines: [{ sequence: 1 }, { sequence: 2 }],
    })
  })

  it('loses a line of more than 8 KiB', () => {
    expect(readLines(Buffer.from(line({ message: 'x'.repeat(8200) })))).toMatchObject({ dropped: { too_long: 1 }, lines: [] })
  })
})
