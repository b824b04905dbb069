import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sessionHeader } from '../../contract/accounts/sessions'
import { verify } from '../../server/core/audit/chain'
import { readConfig } from '../../server/core/config'
import { openEmbedded, type Embedded } from '../../server/core/database/embedded'
import { type OpenDatabase, openDatabase } from '../../server/core/database/open'
import { auditChains } from '../../server/core/database/schema/audit'
import { repetitions } from '../support/counts'
import { people, type Person } from '../support/people'
import { freePort } from '../support/free-port'
import { fromBuild, type Program, startServer } from '../support/program'
import { within } from '../support/machine-load'

const WRITERS = 4
const PLAN_LIMIT = 100

type Ledger = { acknowledged: Set<string>; unknown: Set<string>; revision: number; count: () => void }

let directory: string
let api: string
let server: Program

const start = async () => {
  server = startServer(
    {
      TEASEL_HOSTS: 'api',
      TEASEL_API_PORT: new URL(api).port,
      TEASEL_DATA_DIR: directory,
      TEASEL_EMPTY: '1',
      TEASEL_LIMIT_REQUESTS_PER_MINUTE: '1000000',
    },
    fromBuild,
  )
  await server.ready
}

/** Connects to the database directly: the server holds the lock, PostgreSQL accepts more connections. */
const inside = async <T>(work: (open: OpenDatabase, postgres: Embedded) => Promise<T>): Promise<T> => {
  const postgres = await openEmbedded({ directory })
  const open = openDatabase({ url: postgres.url, onError: () => {} })
  return work(open, postgres).finally(open.close)
}

const signUpPerson = () =>
  inside(({ db }) => {
    const config = readConfig({ TEASEL_DATA_DIR: directory })
    return people({ db, config, clock: () => new Date() }).person()
  })

const call = (who: Person, method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  fetch(`${api}${path}`, {
    method,
    headers: { [sessionHeader]: who.token, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })

const create = (who: Person, name: string) =>
  call(who, 'POST', '/projects', { name }, { 'idempotency-key': `${who.id}-${name.replaceAll(' ', '-')}` })

const namesOf = async (who: Person): Promise<string[]> => {
  const answer = await call(who, 'GET', '/projects')
  const { projects }: { projects: { name: string }[] } = await answer.json()
  return projects.map(({ name }) => name)
}

/** Small writes until the server is killed. An unanswered one may have happened or not. */
const write = async (who: Person, ledger: Ledger, writer: number) => {
  for (let n = 0; n < PLAN_LIMIT / WRITERS - 1; n++) {
    const name = `Gateway ${writer} ${n}`
    const status = await create(who, name).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 0) return ledger.unknown.add(name)
    expect(status).toBe(201)
    ledger.acknowledged.add(name)
    ledger.count()
  }
  return ledger
}

/** Writes of some 20 kB to one row, each with the revision of the last answer. */
const rewrite = async (who: Person, id: string, ledger: Ledger) => {
  for (;;) {
    const models = Array.from({ length: 200 }, (_, n) => ({
      id: `model-${ledger.revision}-${n}`,
      name: 'A model with a name of some length',
      platform: 'linux',
      slots: 'single',
    }))
    const answer = await call(
      who,
      'PATCH',
      `/projects/${id}`,
      { settings: { hardware_models: models } },
      { 'if-match': `"${ledger.revision}"` },
    ).catch(() => undefined)
    if (!answer) return
    expect(answer.status).toBe(200)
    const { revision }: { revision: number } = await answer.json()
    ledger.revision = revision
    ledger.count()
  }
}

const kill = async (both: boolean) => {
  const postgres = both ? await openEmbedded({ directory }) : undefined
  await server.killAll(...(postgres ? [postgres.pid] : []))
}

/** Resolves with the given answer: at that moment the other writers wait for theirs. */
const countdown = (answers: number) => {
  const answered = new EventEmitter()
  let left = answers
  return { done: once(answered, 'enough'), count: () => void (--left === 0 && answered.emit('enough')) }
}

const round = async (both: boolean, answers: number) => {
  const who = await signUpPerson()
  const first = await create(who, 'The rewritten one')
  expect(first.status, await first.clone().text()).toBe(201)
  const made: { id: string; revision: number } = await first.json()
  const { done, count } = countdown(answers)
  const ledger: Ledger = { acknowledged: new Set(['The rewritten one']), unknown: new Set(), revision: made.revision, count }
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(who, ledger, writer))
  const work = Promise.all([rewrite(who, made.id, ledger), ...writers])
  if (answers % 3 === 0) void inside(({ pool }) => pool.query('checkpoint')).catch(() => {})
  await done
  await kill(both)
  await work
  await start()
  const there = await namesOf(who)
  expect(there).toEqual(expect.arrayContaining([...ledger.acknowledged]))
  expect(there.filter((name) => !ledger.acknowledged.has(name) && !ledger.unknown.has(name))).toEqual([])
  const { revision }: { revision: number } = await (await call(who, 'GET', `/projects/${made.id}`)).json()
  expect([ledger.revision, ledger.revision + 1]).toContain(revision)
  // F-23: repeated with the same key, an unanswered request happens exactly once.
  for (const name of ledger.unknown) expect((await create(who, name)).status).toBe(201)
  expect((await namesOf(who)).toSorted()).toEqual([...ledger.acknowledged, ...ledger.unknown].toSorted())
}

const audit = () =>
  inside(async ({ db }) => {
    const chains = await db.select().from(auditChains)
    for (const { id } of chains) expect(await verify(db, id)).toMatchObject({ whole: true })
    const { rows } = await db.execute(
      sql`select (select count(*) from projects) as projects, (select count(*) from audit_entries where action = 'project.create') as rows`,
    )
    return rows[0]
  })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-kill-'))
  api = `http://localhost:${await freePort()}`
  await start()
})
afterAll(async () => {
  server.child.kill('SIGTERM')
  await server.ended
  await rm(directory, { recursive: true, force: true })
})

// The times of the kills follow a fixed rule, so that a failure can be repeated.
const instants = (count: number) => Array.from({ length: count }, (_, n) => 2 + ((n * 7) % 31))

it.each([
  ['the API alone', repetitions(3, 25), false],
  ['the API and its PostgreSQL', repetitions(2, 10), true],
])(
  'F-16: kill -9 of %s during writes, %i times: no acknowledged write is lost, and exactly the writes done are audited',
  async (_, count, both) => {
    for (const answers of instants(count)) await round(both, answers)
    const { projects, rows } = (await audit()) ?? {}
    expect(projects).toBeGreaterThan(count)
    expect(rows).toBe(projects)
  },
  within(600_000),
)
