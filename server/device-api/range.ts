export type Range = { start: number; end: number }

/**
 * One range of bytes of a file, inclusive as in HTTP. Undefined for the whole file: without a header, with a unit or a list
 * that this server does not do (RFC 9110 allows to ignore them). Null when nothing of the file lies in it.
 */
export const rangeOf = (header: string | undefined, size: number): Range | undefined | null => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return undefined
  const [, first = '', last = ''] = match
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? null : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? null : { start, end }
}
