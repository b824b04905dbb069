export type Part = { start: number; end: number }

/**
 * The range that a request asks for, of `size` bytes: null for the whole (no range, several ranges, or a malformed one: RFC
 * 9110, 14.2), `unsatisfiable` for one beyond the end.
 */
export const rangeOf = (header: string | undefined, size: number): Part | 'unsatisfiable' | null => {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
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
