// `npm run bench` runs the programs of this folder one after another, prints their figures as a table and stores them in
// test-results/bench. It judges no figure. `npm run bench -- polls=200 sign-in=20`: only these, with their counts.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { root } from '../../server/core/root'
import type { Figure } from './server'

const programs = ['polls', 'ingest', 'metrics', 'lists', 'rollouts', 'sign-in', 'log-flood', 'upload']
const asked = process.argv.slice(2).map((text) => text.split('='))
const unknown = asked.find(([name = '']) => !programs.includes(name))
if (unknown) throw new Error(`${unknown[0]}: choose from ${programs.join(', ')}`)

type Result = { program: string; figures: Figure[]; ended: unknown }

const run = async (program: string, count: string | undefined): Promise<Result> => {
  const figures: Figure[] = []
  const child = fork(join(root, 'tests/bench', `${program}.ts`), count === undefined ? [] : [count], {
    cwd: root,
    execArgv: ['--import', 'tsx'],
  })
  child.on('message', (figure) => figures.push(figure as Figure))
  const [code, signal] = await once(child, 'close')
  return { program, figures, ended: code ?? signal }
}

const results: Result[] = []
for (const [program = '', count] of asked.length > 0 ? asked : programs.map((name) => [name])) {
  results.push(await run(program, count))
}

const rows = results.flatMap(({ program, figures }) =>
  figures.map(({ name, value, unit }) => [program, name, value.toFixed(Math.abs(value) < 10 ? 2 : 1), unit] as const),
)
const width = (column: 0 | 1 | 2) => Math.max(0, ...rows.map((row) => row[column].length))
const widths = [width(0), width(1), width(2)] as const
for (const [program, name, value, unit] of rows)
  process.stdout.write(`${program.padEnd(widths[0])}  ${name.padEnd(widths[1])}  ${value.padStart(widths[2])} ${unit}\n`)

const at = new Date().toISOString()
const folder = join(root, 'test-results/bench')
const file = join(folder, `${at.replaceAll(':', '-')}.json`)
await mkdir(folder, { recursive: true })
await writeFile(file, JSON.stringify({ at, node: process.version, processors: cpus().length, results }, null, 2))
process.stdout.write(`${file}\n`)
if (results.some(({ ended }) => ended !== 0)) process.exitCode = 1
