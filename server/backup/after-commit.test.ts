import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../core/database/clients'
import { createTag } from '../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDatabase, type TestDatabase } from '../../tests/support/database'
import { openAnchors } from '../core/audit/anchor'
import { createAuditPartitions } from '../core/database/plumbing.repository'
import { withClient } from '../core/database/roles'
import { backUp } from './back-up'
import { restore } from './restore'

/** Of migrations, as in server/core/database/migrate.ts. */
const lock = 7_331_001
const endWaiting = `
  select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and objid = ${lock} and not granted
    and database = (select oid from pg_database where datname = current_database())`

let api: TestApi
let database: TestDatabase
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'teasel-after-commit-'))
  api = await createTestApi()
  database = await createDatabase({ bare: true })
})
afterAll(async () => {
  await api.close()
  await database.drop()
  await rm(home, { recursive: true, force: true })
})

const unguarded = `
  select c.oid::regclass::text as name from pg_class c join pg_inherits i on i.inhrelid = c.oid
  where i.inhparent = 'audit_entries'::regclass
    and not exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal and t.tgname = 'audit_partition_no_truncate')`

it('a restore that ends after its rows are committed has guarded the audit log and anchored the restore', async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  await api.call(createTag, { projectId }, { as: ines, body: { name: 'beta', colour: 'sky' } })
  await createAuditPartitions(api.ownerDb, new Date())
  const at = join(home, 'backup')
  await backUp({ ...api.config, databaseOwnerUrl: api.ownerUrl }, at, () => {})
  const config = {
    ...api.config,
    dataDirectory: join(home, 'data'),
    storage: { kind: 'directory' as const, path: join(home, 'files') },
    databaseUrl: database.url,
    databaseOwnerUrl: database.ownerUrl,
  }
  const other = createClient({ connectionString: database.ownerUrl })
  await other.connect()
  // From the first table on another program migrates, so that the last migration waits; it is ended then.
  let lockTaken: Promise<unknown> | undefined
  const say = (line: string) => {
    if (line.startsWith('table ')) lockTaken ??= other.query('select pg_advisory_lock($1)', [lock])
  }
  const restored = expect(restore(config, at, say)).rejects.toThrow(
    'The backup is restored, but its database is not migrated to this version',
  )
  await expect.poll(async () => (await other.query(endWaiting)).rowCount).toBe(1)
  await restored
  await lockTaken
  await other.end()
  const found = await withClient(database.ownerUrl, (client) => client.query(unguarded))
  expect(found.rows).toEqual([])
  const anchors = await openAnchors(config.dataDirectory)
  expect(await anchors.list()).toEqual([ines.id])
  expect(await anchors.find(ines.id)).toMatchObject({ kind: 'restore', sequence: 1 })
})
