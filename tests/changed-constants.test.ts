import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../server/core/root'

const decision = 'docs/decisions/0082-what-tests-change.md'
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const tops = ['contract', 'machines', 'src', 'server', 'agent', 'cli', 'tests']
const code = tops
  .flatMap((top) => readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((file) => `${top}/${file}`))
  .filter((file) => /\.(ts|tsx|mjs)$/.test(file))
const isOfTests = (file: string) => /\.test\.tsx?$|^tests\/|\/testing\//.test(file)
const tests = code.filter((file) => isOfTests(file) && file !== 'tests/changed-constants.test.ts')

/** Options in milliseconds that a function of production has for its callers, such as `lookMs?: number`. */
const timeOptions = new Set(
  code
    .filter((file) => /^(agent|cli|server)\//.test(file) && !isOfTests(file))
    .flatMap((file) => [...read(file).matchAll(/\b(\w+Ms)\?: number/g)].map(([, name = '']) => name)),
)

/** How tests change what production uses. */
const patterns: Readonly<Record<string, RegExp>> = {
  sleep: /shortens?Sleeps|"sleep":"00:00:01"/,
  clock: new RegExp(
    [
      String.raw`spyOn\((Date|globalThis|window|performance), '(now|setTimeout|setInterval|requestAnimationFrame)'`,
      String.raw`\bDate\.now = |\bObject\.assign\(Date\b|\brequestIdleCallback: |\badvance: \(`,
      // The clock of the machine, and that of the test's API, are no changes of their own.
      String.raw`\b(clock|now): \(\) => (?!new Date\(\)|api\.deps\.clock\(\)\s*[,}])|\bclockFrom\(\w+, \(\)`,
    ].join('|'),
  ),
  timers:
    /\bvi\.(useFakeTimers|setSystemTime)\(|\.clock\.(install|fastForward|runFor|pauseAt|setFixedTime)\(|\bnew SimulatedClock\(/,
  mock: /\bvi\.(mock|doMock|stubGlobal)\(/,
  fleet: /\bfastest-?poll|--speed\b|\bspeed: '?600\b/i,
  variable: /\bTEASEL_(LIMIT|SESSION|DRAIN|AGENT_POLL)_/,
  option: new RegExp(
    [
      String.raw`\b(${[...timeOptions, 'leastS', 'mostS', 'timeLimits'].join('|')})(:| =)`,
      String.raw`\bopenDatabaseClock\(\w+, |\bretryDelay: 0\b|\bcheapPasswords\b|\bconnections: [1-9]`,
    ].join('|'),
  ),
  durable: /\bdurable: false\b/,
  size: /\bdiskSpace = |\bstatfsSync = /,
  example: /\bscrape_interval\b/,
}

type Row = { kind: string; files: string[]; why: string; real: string }

const rows: Row[] = read(decision)
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Kind '))
  .map((line) => {
    const [kind = '', , where = '', why = '', real = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
    return { kind, files: [...where.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file), why, real }
  })

const namedIn = (kind: string) => new Set(rows.filter((row) => row.kind === kind).flatMap(({ files }) => files))

it.each(Object.entries(patterns))(
  'every test and helper that changes production by its %s is in the list of decision 82, and no other',
  (kind, pattern) => {
    const found = tests.filter((file) => pattern.test(read(file)))
    const named = namedIn(kind)
    expect(
      found.filter((file) => !named.has(file)),
      `not in a row "${kind}" of ${decision}`,
    ).toEqual([])
    expect(
      [...named].filter((file) => !found.includes(file)),
      `in a row "${kind}" of ${decision} without need`,
    ).toEqual([])
  },
)

/** Whether a title of the file begins with this text. */
const isTitle = (file: string, text: string) => {
  const title = text.replace(/ \(full run\)$/, '').trim()
  return ["'", '"', '`'].some((quote) => read(file).includes(quote + title))
}

it('every row of decision 82 has a known kind, a reason, and a test that exists or the words that there is none', () => {
  expect(rows.length).toBeGreaterThan(Object.keys(patterns).length)
  const wrong = rows.flatMap(({ kind, files, why, real }) => {
    const about = `${kind} ${files[0]}`
    if (!(kind in patterns) || files.length === 0 || why === '') return [`${about}: kind, files or reason`]
    if (real.startsWith('No test with the real value yet')) return []
    const named = [...real.matchAll(/`([^`]+)`: ([^;]+)/g)]
    if (named.length === 0) return [`${about}: no test`]
    return named
      .filter(([, file = '', title = '']) => !existsSync(join(root, file)) || !isTitle(file, title))
      .map(([text]) => `${about}: ${text}`)
  })
  expect(wrong).toEqual([])
})
