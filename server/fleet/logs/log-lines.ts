import { is } from 'superstruct'
import { LogLine, maxLogLineBytes } from '../../../contract/device/api'
import { logLevels } from '../../../contract/device/config'

const maxMessage = 4096
const maxFields = 16
const maxField = 256

// T-19: C0 and C1 controls, and the marks that turn the direction of the text that follows.
// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const unsafe = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g
const names: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\u001b': '\\e' }
const escaped = (character: string) => names[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const cut = (text: string, most: number) => {
  const characters = Array.from(text.slice(0, 2 * most + 2))
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text
}

/** Text that nothing can be hidden in: what would act on a terminal or turn a line is spelt out. */
export const plain = (text: string, most: number): string => cut(text.toWellFormed().replace(unsafe, escaped), most)

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

const stored = (line: LogLine): StoredLine => ({
  sequence: line.sequence,
  tsMs: line.ts_ms,
  level: logLevels.indexOf(line.level),
  unit: plain(line.unit, 128),
  pid: line.pid ?? null,
  bootId: line.boot_id,
  message: plain(line.message, maxMessage),
  fields: Object.fromEntries(
    Object.entries(line.fields ?? {})
      .slice(0, maxFields)
      .map(([name, value]) => [plain(name, 64), plain(String(value), maxField)]),
  ),
})

const parsed = (text: string): StoredLine | null => {
  if (Buffer.byteLength(text) > maxLogLineBytes) return null
  try {
    const value: unknown = JSON.parse(text)
    return is(value, LogLine) ? stored(value) : null
  } catch {
    return null
  }
}

/** The lines of an NDJSON body; bad ones are counted, the others stay. */
export const readLines = (body: string): { lines: StoredLine[]; bad: number; count: number } => {
  const texts = body.split('\n').filter((text) => text.trim() !== '')
  const lines = texts.flatMap((text) => parsed(text) ?? [])
  return { lines, bad: texts.length - lines.length, count: texts.length }
}
