import { mkdirSync, writeFileSync } from 'node:fs'

export type Line = {
  chart: string
  states: number
  transitions: number
  paths: number
  walked: number
  mutants: number
  killed: number
  /** Killed without the table: by stories and invariants alone. */
  felt: number
}

const numbers = ['states', 'transitions', 'paths', 'walked', 'mutants', 'killed', 'felt'] as const

const totalOf = (lines: readonly Line[]): Line => ({
  chart: 'all',
  ...(Object.fromEntries(numbers.map((key) => [key, lines.reduce((sum, line) => sum + line[key], 0)])) as Omit<Line, 'chart'>),
})

const tableOf = (lines: readonly Line[]): string => {
  const rows = [['chart', ...numbers], ...lines.map((line) => [line.chart, ...numbers.map((key) => String(line[key]))])]
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)))
  return rows
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '))
    .join('\n')
}

/** Prints the coverage of all charts as one table and keeps it for machines in `test-results/models.json`. */
export const report = (lines: readonly Line[]): void => {
  const total = totalOf(lines)
  process.stdout.write(`\n${tableOf([...lines, total])}\n\n`)
  mkdirSync('test-results', { recursive: true })
  writeFileSync('test-results/models.json', `${JSON.stringify({ charts: lines, total }, null, 2)}\n`)
}
