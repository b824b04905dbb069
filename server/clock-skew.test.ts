import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDatabase } from '../tests/support/database'
import { freePort } from '../tests/support/free-port'
import { fromSources, type Program, startServer } from '../tests/support/program'

let home: string
let database: Awaited<ReturnType<typeof createDatabase>>
let started: Program[]

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'teasel-skew-'))
  await chmod(home, 0o700)
  database = await createDatabase()
  started = []
})
afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL')
    await ended
  }
  await database.drop()
  await rm(home, { recursive: true, force: true })
})

/** A host whose own clock is that many milliseconds ahead. */
const skewed = (ms: number) => {
  const shift = `const { now } = Date; const Real = Date; Date.now = () => now() + ${ms};
    globalThis.Date = new Proxy(Real, { construct: (t, a) => new Real(...(a.length ? a : [Real.now()])) })`
  return ['--import', `data:text/javascript,${encodeURIComponent(shift)}`, ...fromSources]
}

const start = async (aheadMs: number) => {
  const port = String(await freePort())
  const program = startServer(
    {
      TEASEL_HOSTS: 'api',
      TEASEL_API_PORT: port,
      TEASEL_DATA_DIR: join(home, `data-${aheadMs}`),
      TEASEL_EMPTY: '1',
      DATABASE_URL: database.url,
      TEASEL_LIMIT_REQUESTS_PER_MINUTE: '60',
    },
    aheadMs === 0 ? fromSources : skewed(aheadMs),
  )
  started.push(program)
  await program.ready
  return `http://localhost:${port}`
}

it('two hosts whose clocks are two minutes apart let no more requests through than the limit allows', async () => {
  const hosts = await Promise.all([start(0), start(120_000)])
  const link = `/downloads/01J00000000000000000000000?exp=1780000000&sig=${'a'.repeat(43)}`
  let passed = 0
  for (let n = 0; n < 240; n++) {
    const { status } = await fetch(`${hosts[n % 2]}${link}`)
    passed += status === 429 ? 0 : 1
  }
  // The minute may turn once while they are sent.
  expect(passed).toBeGreaterThanOrEqual(60)
  expect(passed).toBeLessThanOrEqual(120)
})
