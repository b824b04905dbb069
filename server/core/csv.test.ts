import fc from 'fast-check'
import { expect, it } from 'vitest'
import '../../tests/support/fixed-seed'
import { repetitions } from '../../tests/support/counts'
import { csvLine } from './csv'

/** The cells of the lines of RFC 4180, read by its grammar. */
const readCsv = (text: string): string[][] => {
  const lines: string[][] = [[]]
  const form = /(?:"(?<quoted>(?:[^"]|"")*)"|(?<plain>[^",\r\n]*))(?<end>,|\r\n)/y
  while (form.lastIndex < text.length) {
    const { quoted, plain = '', end } = form.exec(text)?.groups ?? {}
    if (end === undefined) throw new Error(`no cell in ${JSON.stringify(text)}`)
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') lines.push([])
  }
  return lines.slice(0, -1)
}

const trigger = fc.constantFrom('=', '+', '-', '@', '\t', '\r')
const special = fc.constantFrom('"', ',', '\n', '\r\n', "'", ';', '|', '\0', 'é', '🌿')
const cell = fc
  .array(fc.oneof(trigger, special, fc.string({ maxLength: 5 }), fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 6 })
  .map((parts) => parts.join(''))
const table = fc.array(fc.array(fc.oneof(cell, fc.integer(), fc.constant(null)), { minLength: 1, maxLength: 6 }), {
  maxLength: 6,
})

const isTrigger = (text: string) => /^[=+\-@\t\r]/.test(text)
const text = (value: string | number | null) => String(value ?? '')

it('T-23: what a CSV file is read back as equals its source, and no cell starts like a formula', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const read = readCsv(rows.map(csvLine).join(''))
      expect(read.flat().filter(isTrigger)).toEqual([])
      expect(read).toEqual(rows.map((cells) => cells.map((value) => (isTrigger(text(value)) ? `'${text(value)}` : text(value)))))
    }),
    { numRuns: repetitions(1000, 20_000) },
  )
})
