import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../tests/support/database'
import { root } from '../root'
import { migrate } from './migrate'

const migrations = join(root, 'server/core/database/migrations')

/** The first state that databases in use can have. Its files are fixed: decision 30. */
const firstState = {
  '0000_tables': 'bc9c59311ce7c550bb495bcfbb6777996942d168516a31f578af35a11e16b4c3',
  '0001_rules': 'b48e314325bdca7a9057311573c64242b329e91a55df3e67e52573189b87b37a',
}

type Journal = { entries: { tag: string }[] }

const readJournal = async (): Promise<Journal> => JSON.parse(await readFile(join(migrations, 'meta/_journal.json'), 'utf8'))

let directory: string
let database: TestDatabase

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-upgrade-'))
  database = await createDatabase({ bare: true })
})
afterEach(async () => {
  await database.drop()
  await rm(directory, { recursive: true, force: true })
})

const copyFirstState = async () => {
  const tags = Object.keys(firstState)
  await mkdir(join(directory, 'meta'))
  for (const tag of tags) await cp(join(migrations, `${tag}.sql`), join(directory, `${tag}.sql`))
  const journal = await readJournal()
  const entries = journal.entries.filter(({ tag }) => tags.includes(tag))
  await writeFile(join(directory, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }))
}

const query = async (text: string) => {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

// Written in SQL: the program's own functions know the present schema only.
const rowsOfFirstState = `
insert into users (id, created_at, updated_at, email) values ('user-1', now(), now(), 'ada@grid.example');
insert into organizations (id, created_at, updated_at, public_id, name, plan, settings, created_by)
  values ('organization-1', now(), now(), 'grid', 'Grid', 'developer', '{}', 'user-1');
insert into members (organization_id, user_id, base_role, joined_at) values ('organization-1', 'user-1', 'owner', now());
insert into projects (id, created_at, updated_at, organization_id, name, settings)
  values ('project-1', now(), now(), 'organization-1', 'Gateways', '{}');
insert into devices (id, created_at, updated_at, project_id, name, serial_number, hardware_model, lifecycle, enrollment)
  values ('device-1', now(), now(), 'project-1', 'gw-1', 'gw-1', 'gw-imx8m', 'accepted', 'token');
`

it('the migrations of the first state are never edited', async () => {
  const hashes = await Promise.all(
    Object.keys(firstState).map(async (tag) => {
      const text = await readFile(join(migrations, `${tag}.sql`))
      return [tag, createHash('sha256').update(text).digest('hex')]
    }),
  )
  expect(Object.fromEntries(hashes)).toEqual(firstState)
  expect((await readJournal()).entries.slice(0, 2).map(({ tag }) => tag)).toEqual(Object.keys(firstState))
})

it('a database of the first state with rows in it upgrades and keeps them', async () => {
  await copyFirstState()
  const known = (await readJournal()).entries.length
  expect(await migrate({ url: database.url, folder: directory })).toEqual({ from: 0, to: 2 })
  await query(rowsOfFirstState)
  expect(await migrate({ url: database.url })).toEqual({ from: 2, to: known })
  expect(await query('select name, public_id from organizations')).toEqual([{ name: 'Grid', public_id: 'grid' }])
  expect(await query('select serial_number, hardware_model from devices')).toEqual([
    { serial_number: 'gw-1', hardware_model: 'gw-imx8m' },
  ])
})

it('the schema files contain no change that no migration carries', async () => {
  const out = join(directory, 'migrations')
  await cp(migrations, out, { recursive: true })
  const kit = join(root, 'node_modules/drizzle-kit/bin.cjs')
  const env = { ...process.env, MIGRATIONS_FOLDER: relative(root, out) }
  await promisify(execFile)(process.execPath, [kit, 'generate', '--name=missing'], { cwd: root, env })
  const added = (await readdir(out)).filter((name) => name.includes('missing'))
  expect(added).toEqual([])
})
