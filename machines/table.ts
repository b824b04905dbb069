import type { Row } from './rows'

const columns = ['From', 'On', 'If', 'To', 'Does', 'Clause'] as const
const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''))

/** The transition table of a README, clause by clause. Cells may be set in code; an empty `From` repeats the one above. */
export const tableIn = (readme: string): (Row & { clause: string })[] => {
  const lines = readme.split('\n')
  const start = lines.findIndex((line) => line.startsWith('|') && cellsOf(line).join() === columns.join())
  if (start < 0) throw new Error(`The README has no table with the columns ${columns.join(', ')}`)
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'))
  let state = ''
  return lines.slice(start + 2, end < 0 ? undefined : end).map((line) => {
    const [from = '', on = '', when = '', to = '', does = '', clause = ''] = cellsOf(line)
    state = from || state
    return { from: state, on, when, to, does, clause }
  })
}
