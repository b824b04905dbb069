import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const headless = ['states', 'transitions', 'paths', 'walked'] as const
const faults = ['mutants', 'killed', 'felt'] as const
/** `felt`: detected without the table, by stories and invariants only. */
export type Line = { chart: string } & Record<(typeof headless)[number] | (typeof faults)[number], number>

const columns = [...headless, 'in the page', ...faults] as const
/** `in the page`: transitions taken by gestures in the built console; only charts with a dictionary have a number. */
type Row = { chart: string } & Partial<Record<(typeof columns)[number], number>>

// Different processes write the parts of a run; the table is written when all have ended.
const parts = 'test-results/models'
const keep = (name: string, rows: readonly Row[]) => {
  mkdirSync(parts, { recursive: true })
  writeFileSync(`${parts}/${name}.json`, JSON.stringify(rows))
}
export const noteHeadless = (lines: readonly Line[]): void => keep('headless', lines)
export const noteInPage = (chart: string, taken: number): void => keep(`page-${chart}`, [{ chart, 'in the page': taken }])
/** Removes the results of an earlier run. */
export const forgetModels = (): void => rmSync(parts, { recursive: true, force: true })

const merged = (rows: readonly Row[]): Row[] => {
  const charts = new Map<string, Row>()
  for (const row of rows) charts.set(row.chart, { ...charts.get(row.chart), ...row })
  return [...charts.values()]
}

const totalOf = (rows: readonly Row[]): Row => {
  const sums = columns.map((column) => [column, rows.reduce((sum, row) => sum + (row[column] ?? 0), 0)] as const)
  return { chart: 'all', ...Object.fromEntries(sums) }
}

const tableOf = (rows: readonly Row[]): string => {
  const cells = [['chart', ...columns], ...rows.map((row) => [row.chart, ...columns.map((it) => String(row[it] ?? '–'))])]
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)))
  return cells
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '))
    .join('\n')
}

/** The coverage of all charts of this run as one table, also written to `test-results/models.json`. */
export const modelTable = (): string | undefined => {
  if (!existsSync(parts)) return undefined
  // The headless part first: it has the order of the charts.
  const files = readdirSync(parts).toSorted()
  const charts = merged(files.flatMap((file): Row[] => JSON.parse(readFileSync(`${parts}/${file}`, 'utf8'))))
  const total = totalOf(charts)
  writeFileSync('test-results/models.json', `${JSON.stringify({ charts, total }, null, 2)}\n`)
  return tableOf([...charts, total])
}
