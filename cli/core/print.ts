import { stripVTControlCharacters } from 'node:util'

type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold'
const codes: Record<Colour, readonly [number, number]> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  dim: [2, 22],
  bold: [1, 22],
}

type Target = NodeJS.WriteStream
const isColoured = (target: Target) => target.isTTY && process.env['NO_COLOR'] === undefined && process.env['TERM'] !== 'dumb'

/** Colours only on a terminal (https://no-color.org). */
export const paint = (text: string, colour: Colour | undefined, target: Target = process.stdout): string => {
  if (colour === undefined || !isColoured(target)) return text
  const [on, off] = codes[colour]
  return `\u001b[${on}m${text}\u001b[${off}m`
}

// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const control = /[\u0000-\u001f\u007f-\u009f]+/g
/** A text of the server or of a device: it cannot control the terminal. */
export const printable = (text: string): string => stripVTControlCharacters(text).replace(control, ' ')

export type Cell = string | number | null | undefined | { text: string; colour: Colour | undefined }

const toText = (cell: Cell): string => {
  if (cell === null || cell === undefined || cell === '') return '–'
  return printable(typeof cell === 'object' ? cell.text : String(cell))
}
const colourOf = (cell: Cell) => (typeof cell === 'object' && cell !== null ? cell.colour : undefined)

/** A table for people; numbers are aligned to the right. */
export const table = (
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  target: Target = process.stdout,
): string => {
  const texts = rows.map((row) => columns.map((_, at) => toText(row[at])))
  const widths = columns.map((name, at) => Math.max(name.length, ...texts.map((row) => row[at]?.length ?? 0)))
  const isLast = (at: number) => at === columns.length - 1
  const pad = (text: string, at: number, isNumber: boolean) =>
    isNumber ? text.padStart(widths[at] ?? 0) : isLast(at) ? text : text.padEnd(widths[at] ?? 0)
  const isNumeric = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'))
  const head = columns.map((name, at) => paint(pad(name, at, isNumeric[at] ?? false), 'dim', target)).join('  ')
  const body = rows.map((row, n) =>
    columns
      .map((_, at) => paint(pad(texts[n]?.[at] ?? '', at, isNumeric[at] ?? false), colourOf(row[at]), target))
      .join('  ')
      .trimEnd(),
  )
  return [head.trimEnd(), ...body].map((line) => `${line}\n`).join('')
}

/** Named facts, one a line. */
export const facts = (rows: readonly (readonly [string, Cell])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${paint(name.padEnd(width), 'dim')}  ${paint(toText(value), colourOf(value))}\n`).join('')
}

export const note = (text: string): void => void process.stderr.write(`${text}\n`)

const units = ['bytes', 'KB', 'MB', 'GB'] as const
/** On base 1024, as in the console. */
export const formatBytes = (bytes: number): string => {
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${Math.round((100 * bytes) / 1024 ** unit) / 100} ${units[unit]}`
}
