export type Part = { start: number; end: number }

/** SWUpdate's delta update asks for up to 256 ranges in one request. */
const mostParts = 256

const partOf = (text: string, size: number): Part | 'unsatisfiable' | null => {
  const found = /^(\d{0,15})-(\d{0,15})$/.exec(text.trim())
  if (!found) return null
  const [, first = '', last = ''] = found
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}

/**
 * The ranges that a request asks for, of `size` bytes: null for the whole (no range, a malformed one, or too many, overlapping or
 * unordered ones: RFC 9110, 14.2), `unsatisfiable` if all are beyond the end.
 */
export const rangesOf = (header: string | undefined, size: number): [Part, ...Part[]] | 'unsatisfiable' | null => {
  const [, list] = /^bytes=(.*)$/.exec(header?.trim() ?? '') ?? []
  const texts = list?.split(',') ?? []
  if (texts.length === 0 || texts.length > mostParts) return null
  const parts: Part[] = []
  for (const text of texts) {
    const part = partOf(text, size)
    if (part === null) return null
    if (part === 'unsatisfiable') continue
    if (part.start <= (parts.at(-1)?.end ?? -1)) return null
    parts.push(part)
  }
  const [first, ...more] = parts
  return first === undefined ? 'unsatisfiable' : [first, ...more]
}
