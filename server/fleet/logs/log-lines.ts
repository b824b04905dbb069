import { is } from 'superstruct'
import { LogLine, maxLogLineBytes, maxLogLines } from '../../../contract/device/api'
import { logLevels } from '../../../contract/device/config-fields'
import { parseUntrusted } from '../../core/http/untrusted-json'
import { sanitizeText } from '../../core/plain-text'
import { maskField, maskSecrets } from './mask-secrets'

const maxMessage = 4096
const maxFields = 16
const maxField = 256

export type StoredLine = {
  sequence: number
  tsMs: number
  level: number
  unit: string
  pid: number | null
  bootId: string
  message: string
  fields: Record<string, string>
}

const storedFields = (fields: NonNullable<LogLine['fields']>) =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, maxFields)
      .map(([name, value]) => [sanitizeText(name, 64), sanitizeText(maskField(name, String(value)), maxField)]),
  )

const stored = (line: LogLine): StoredLine => ({
  sequence: line.sequence,
  tsMs: line.ts_ms,
  level: logLevels.indexOf(line.level),
  unit: sanitizeText(line.unit, 128),
  pid: line.pid ?? null,
  bootId: line.boot_id,
  message: sanitizeText(maskSecrets(line.message), maxMessage),
  fields: line.fields === undefined ? {} : storedFields(line.fields),
})

const levels: ReadonlySet<unknown> = new Set(logLevels)
const bootId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const isInteger = (value: unknown, min: number, max = Number.MAX_SAFE_INTEGER) =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max

/** A line as agents send most: a tenth of the time of the struct, which decides about all others. */
const isPlainLine = (value: unknown): value is LogLine => {
  if (typeof value !== 'object' || value === null) return false
  let keys = 0
  for (const key in value) if (key !== 'pid') keys++
  const line = value as Record<string, unknown>
  return (
    keys === 6 &&
    isInteger(line.sequence, 1) &&
    isInteger(line.ts_ms, 0, 8_640_000_000_000_000) &&
    levels.has(line.level) &&
    typeof line.unit === 'string' &&
    line.unit.length <= 128 &&
    typeof line.message === 'string' &&
    typeof line.boot_id === 'string' &&
    bootId.test(line.boot_id) &&
    (line.pid === undefined || isInteger(line.pid, 0))
  )
}

/** Part of a body: the first byte, and the one after the last. */
type Span = readonly [from: number, to: number]

/** Bytes that are not UTF-8 become U+FFFD: one damaged message costs neither its line nor the batch. */
const parsed = (body: Buffer, [from, to]: Span): StoredLine | 'too_long' | 'malformed' => {
  if (to - from > maxLogLineBytes) return 'too_long'
  const value = parseUntrusted(body.toString('utf8', from, to))
  return isPlainLine(value) || is(value, LogLine) ? stored(value) : 'malformed'
}

const lineFeed = 0x0a
const blank = new Set([0x09, 0x0d, 0x20])

function* split(body: Buffer): Generator<Span> {
  for (let from = 0; from < body.length;) {
    const found = body.indexOf(lineFeed, from)
    const to = found < 0 ? body.length : found
    let first = from
    while (first < to && blank.has(body[first] ?? 0)) first++
    if (first < to) yield [from, to]
    from = to + 1
  }
}

/** `dropped` counts the rejected lines by reason; `count` is all lines that are not blank. */
export type ReadLines = { lines: StoredLine[]; dropped: { too_long: number; malformed: number }; count: number }

/**
 * The lines of an NDJSON body in order of arrival; malformed ones are counted, the others are kept. Null if there are more than
 * `maxLogLines`: a body of many tiny lines is refused before any of them is parsed.
 */
export const readLines = (body: Buffer): ReadLines | null => {
  const all: Span[] = []
  for (const span of split(body)) {
    if (all.length === maxLogLines) return null
    all.push(span)
  }
  const lines: StoredLine[] = []
  const dropped = { too_long: 0, malformed: 0 }
  for (const line of all.map((span) => parsed(body, span)))
    if (typeof line === 'string') dropped[line]++
    else lines.push(line)
  return { lines, dropped, count: all.length }
}
