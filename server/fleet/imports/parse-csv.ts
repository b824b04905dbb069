/** A row with the number of its first line, or why it cannot be read. */
export type CsvRow = { line: number; cells: string[] } | { line: number; problem: 'too_long' | 'open_quote' }

/** A spreadsheet writes the list separator of its country. */
const separatorOf = (head: string) => /[,;\t]/.exec(head)?.[0] ?? ','

const countBreaks = (text: string) => text.split('\n').length - 1

/** The end of a quoted cell: the position after its closing quote; -1 if it has none. */
const endOfQuoted = (text: string, start: number): number => {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf('"', at)
    if (at < 0) return -1
    if (text[at + 1] !== '"') return at + 1
  }
}

/** RFC 4180, one row at a time: lines end with LF or CRLF, blank lines are left out. `longest` is in characters. */
export function* parseCsv(text: string, longest: number): Generator<CsvRow> {
  const separator = separatorOf(text.slice(0, text.search(/[\r\n]|$/)))
  let at = 0
  let line = 1
  while (at < text.length) {
    const start = at
    const cells: string[] = []
    for (;;) {
      let quoted = ''
      if (text[at] === '"') {
        const end = endOfQuoted(text, at)
        if (end < 0) return yield { line, problem: 'open_quote' }
        quoted = text.slice(at + 1, end - 1).replaceAll('""', '"')
        at = end
      }
      let stop = at
      while (stop < text.length && text[stop] !== separator && text[stop] !== '\n') stop += 1
      const rest = text.slice(at, stop)
      // Of a line that is too long nothing is used.
      if (stop - start <= longest) cells.push(quoted + (text[stop] === separator ? rest : rest.replace(/\r$/, '')))
      at = stop + 1
      if (text[stop] !== separator) break
    }
    const row = text.slice(start, at)
    if (row.length > longest) yield { line, problem: 'too_long' }
    else if (cells.length > 1 || cells[0]?.trim() !== '') yield { line, cells }
    line += countBreaks(row)
  }
}
