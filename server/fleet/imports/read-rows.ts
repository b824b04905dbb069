import { importColumns, type ImportError, importLimits, ImportRow } from '../../../contract/fleet/device-imports'
import { checkFields, type FieldError } from '../../../contract/core/field-errors'
import type { Reader } from '../../core/reading/protocol'
import { type ByteReader, maxReadBytes } from '../../core/storage/stored-bytes'
import { parseUntrusted } from '../../core/http/untrusted-json'
import { checkNames } from '../../core/unseen'
import { type CsvRow, parseCsv } from './parse-csv'

/** A line that follows the struct, or the rules that it breaks. */
export type ReadRow = { line: number; row: ImportRow } | { line: number; errors: ImportError[] }
type Given = { line: number; value: unknown } | { line: number; error: FieldError }

/** Why the file is none that can be imported. */
type FileProblem = { code: string; message: string }
class RefusedFile extends Error {
  readonly problem: FileProblem
  constructor(problem: FileProblem) {
    super(problem.message)
    this.problem = problem
  }
}
const refuseFile = (code: string, message: string): never => {
  throw new RefusedFile({ code, message })
}

const rowError = (code: string, message: string): FieldError => ({ field: '', code, message })
const tooLong = rowError('too_long', `A line can have at most ${importLimits.lineCharacters} characters`)
const problems = {
  too_long: tooLong,
  open_quote: rowError('quote', 'The quoted text that starts in this line has no end'),
} as const

const isColumn = (name: string) => (importColumns as readonly string[]).includes(name) || /^attributes\..+/.test(name)

const readHead = (first: CsvRow | undefined): string[] => {
  if (!first || !('cells' in first)) return refuseFile('columns', 'The first line must name the columns')
  const names = first.cells.map((cell) => cell.trim())
  const unknown = names.find((name) => !isColumn(name))
  if (unknown !== undefined)
    return refuseFile('columns', `The first line must name the columns; "${unknown.slice(0, 64)}" is not one of them`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return refuseFile('columns', `The column ${twice.slice(0, 64)} is there twice`)
  return names.includes('controller_id') ? names : refuseFile('columns', 'The column controller_id is missing')
}

/** Empty cells are left out. */
const fromCells = (names: readonly string[], cells: readonly string[]): Record<string, unknown> => {
  const filled = names.flatMap((name, index) => (cells[index]?.trim() ? [[name, cells[index].trim()] as const] : []))
  const attributes = filled.flatMap(([name, text]) => (name.startsWith('attributes.') ? [[name.slice(11), text]] : []))
  const { tags, ...rest } = Object.fromEntries(filled.filter(([name]) => !name.startsWith('attributes.')))
  return {
    ...rest,
    ...(tags !== undefined && { tags: tags.split(/[\s,;]+/) }),
    ...(attributes.length > 0 && { attributes: Object.fromEntries(attributes) as Record<string, string> }),
  }
}

function* fromCsv(text: string): Generator<Given> {
  const rows = parseCsv(text, importLimits.lineCharacters)
  const names = readHead(rows.next().value as CsvRow | undefined)
  for (const row of rows) {
    const { line } = row
    if ('problem' in row) yield { line, error: problems[row.problem] }
    else if (row.cells.length > names.length)
      yield { line, error: rowError('cells', `This line has ${row.cells.length} cells, the first one ${names.length}`) }
    else yield { line, value: fromCells(names, row.cells) }
  }
}

function* fromNdjson(text: string): Generator<Given> {
  let line = 0
  for (let from = 0; from <= text.length;) {
    const next = text.indexOf('\n', from)
    const end = next < 0 ? text.length : next
    const given = text.slice(from, end)
    from = end + 1
    line += 1
    if (given.trim() === '') continue
    const isTooLong = given.length > importLimits.lineCharacters
    const value = isTooLong ? undefined : parseUntrusted(given)
    if (isTooLong) yield { line, error: tooLong }
    else if (typeof value !== 'object' || value === null || Array.isArray(value))
      yield { line, error: rowError('json', 'This line is not a JSON object') }
    else yield { line, value }
  }
}

// Bytes that are not UTF-8 become this; nobody writes it on purpose.
const replacement = '\uFFFD'
const controllerIdOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'controller_id' in value && typeof value.controller_id === 'string'
    ? value.controller_id.slice(0, 128)
    : null

const check = (given: Given): ReadRow => {
  const { line } = given
  if ('error' in given) return { line, errors: [{ line, controller_id: null, ...given.error }] }
  const controller_id = controllerIdOf(given.value)
  const wrong = (errors: FieldError[]) => ({ line, errors: errors.map((error) => ({ line, controller_id, ...error })) })
  if (JSON.stringify(given.value).includes(replacement))
    return wrong([rowError('encoding', 'This line has bytes that are not UTF-8')])
  const [errors, row] = checkFields(given.value, ImportRow)
  if (errors) return wrong(errors)
  const unseen = checkNames(row)
  return unseen ? wrong(unseen) : { line, row }
}

/** So many lines the thread that answers requests takes at once. */
const atOnce = 500

// UTF-16 and UTF-32 have zero bytes in every ASCII character, and a mark that is not UTF-8; no text has the character zero.
const requireUtf8 = (beginning: Uint8Array) => {
  if (beginning.subarray(0, 1024).includes(0))
    refuseFile('encoding', 'The file is not UTF-8. Save it as “CSV UTF-8”, or convert it to UTF-8')
}

const readWhole = async (file: ByteReader): Promise<string> => {
  const decoder = new TextDecoder('utf-8')
  const parts: string[] = []
  for (let at = 0; at < file.size; at += maxReadBytes) {
    const bytes = await file.read(at, maxReadBytes)
    if (at === 0) requireUtf8(bytes)
    parts.push(decoder.decode(bytes, { stream: at + maxReadBytes < file.size }))
  }
  return parts.join('')
}

export type ImportFile = { isCsv: boolean }
export type ReadImport = { problem: FileProblem | null }

/** Reads a file of devices in a thread and passes its lines on, checked one by one. Only the errors that are shown are named. */
export const readImportFile: Reader<ImportFile, ReadImport, ReadRow[]> = async ({ isCsv }, { files: [file], emit }) => {
  if (!file) throw new Error('There is no file')
  let rows: ReadRow[] = []
  let [lines, errors] = [0, 0]
  try {
    const text = await readWhole(file)
    for (const given of isCsv ? fromCsv(text) : fromNdjson(text)) {
      if (lines === importLimits.lines)
        refuseFile('too_many', `A file can have at most ${importLimits.lines.toLocaleString('en')} devices`)
      lines += 1
      const row = check(given)
      if ('errors' in row) errors += row.errors.length
      rows.push('errors' in row && errors > 2 * importLimits.errors ? { line: row.line, errors: [] } : row)
      if (rows.length < atOnce) continue
      await emit(rows)
      rows = []
    }
    if (lines === 0) refuseFile('required', 'The file has no devices')
  } catch (error) {
    if (error instanceof RefusedFile) return { problem: error.problem }
    throw error
  }
  await emit(rows)
  return { problem: null }
}
