import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from './clients'
import { createDatabase, type TestDatabase } from '../../../tests/support/database'
import { keepSchema, migrate, WrongSchema } from './migrate'

const steps = [
  'create table parts (id int primary key)',
  'insert into parts values (1)',
  'alter table parts add column name text',
]

let database: TestDatabase
let folder: string

const write = async (sqls: readonly string[]) => {
  await mkdir(join(folder, 'meta'), { recursive: true })
  const entries = sqls.map((_, idx) => ({ idx, version: '7', when: 1000 + idx, tag: `000${idx}`, breakpoints: true }))
  await writeFile(join(folder, 'meta/_journal.json'), JSON.stringify({ version: '7', dialect: 'postgresql', entries }))
  for (const [index, text] of sqls.entries()) await writeFile(join(folder, `000${index}.sql`), text)
}

const query = async (text: string) => {
  const client = createClient({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<Record<string, unknown>>(text)
  await client.end()
  return rows
}

const run = (note?: (message: string) => void) => migrate({ url: database.url, folder, ...(note ? { note } : {}) })

beforeEach(async () => {
  database = await createDatabase({ bare: true })
  folder = await mkdtemp(join(tmpdir(), 'teasel-migrate-'))
})
afterEach(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

it('migrates an empty database, and does nothing to one that is up to date', async () => {
  await write(steps)
  expect(await run()).toEqual({ from: 0, to: 3 })
  expect(await run()).toEqual({ from: 3, to: 3 })
  expect(await query('select * from parts')).toEqual([{ id: 1, name: null }])
})

it('F-26: logs the advice to keep a backup before an older database is migrated', async () => {
  const notes: string[] = []
  await write(steps.slice(0, 2))
  await run((message) => notes.push(message))
  expect(notes).toEqual([])
  await write(steps)
  expect(await run((message) => notes.push(message))).toEqual({ from: 2, to: 3 })
  expect(notes).toEqual([expect.stringContaining('keep a backup')])
})

it('F-26: refuses a database that is newer than the program, and leaves it as it was', async () => {
  await write(steps)
  await run()
  await write(steps.slice(0, 2))
  await expect(run()).rejects.toThrow(WrongSchema)
  await expect(run()).rejects.toThrow('The database is newer than this program: it has 3 schema migrations, the program knows 2.')
  expect(await query('select * from parts')).toEqual([{ id: 1, name: null }])
})

it('refuses a database whose migrations have different hashes', async () => {
  await write(steps)
  await run()
  await write(steps.with(1, 'insert into parts values (2)'))
  await expect(run()).rejects.toThrow('with a different schema')
})

it('F-26: a migration that stops midway leaves nothing behind, not even the steps before it', async () => {
  await write([...steps, 'select 1 / 0'])
  await expect(run()).rejects.toThrow()
  expect(await query(`select to_regclass('parts') as parts`)).toEqual([{ parts: null }])
  await write(steps)
  expect(await run()).toEqual({ from: 0, to: 3 })
})

it('F-26: a migration whose connection is cut leaves nothing behind, and the next one goes through', async () => {
  await write([...steps, `select pg_notify('parts', 'here'), pg_sleep(600)`])
  const cut = run().catch((error: unknown) => error)
  const mine = `select pid from pg_stat_activity where application_name = 'teasel-migrate' and datname = current_database() and query like '%pg_sleep%'`
  const found = async (): Promise<unknown> => (await query(mine))[0]?.pid ?? found()
  await query(`select pg_terminate_backend(${String(await found())})`)
  expect(await cut).toBeInstanceOf(Error)
  expect(await query(`select to_regclass('parts') as parts`)).toEqual([{ parts: null }])
  await write(steps)
  expect(await run()).toEqual({ from: 0, to: 3 })
})

it('F-26: two programs that start together migrate once', async () => {
  await write(steps)
  const done = await Promise.all([run(), run(), run()])
  expect(done.map(({ from }) => from).toSorted()).toEqual([0, 3, 3])
  expect(await query('select count(*)::int as n from drizzle.__drizzle_migrations')).toEqual([{ n: 3 }])
})

it('waits for a running backup before it locks tables, so that requests go on meanwhile, and says so', async () => {
  await write(steps.slice(0, 2))
  await run()
  const backup = createClient({ connectionString: database.url })
  await backup.connect()
  await keepSchema(backup)
  await backup.query('begin; lock table parts in access share mode')
  await write(steps)
  const notes: string[] = []
  const migrating = run((message) => notes.push(message))
  await expect.poll(() => notes).toContainEqual(expect.stringContaining('backup is running'))
  expect(await query('select * from parts')).toEqual([{ id: 1 }])
  await backup.end()
  expect(await migrating).toEqual({ from: 2, to: 3 })
})

it('fails if the migrations of the program are missing, instead of starting with any schema', async () => {
  await expect(run()).rejects.toThrow('_journal.json')
})
