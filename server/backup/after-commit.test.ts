import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTag } from '../../contract/tags'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDatabase, type TestDatabase } from '../../tests/support/database'
import { openAnchors } from '../core/audit/anchor'
import type * as migrating from '../core/database/migrate'
import { createAuditPartitions } from '../core/database/plumbing.repository'
import { withClient } from '../core/database/roles'
import { backUp } from './back-up'
import { restore } from './restore'

const failing = vi.hoisted(() => ({ migration: false }))

vi.mock('../core/database/migrate', async (original) => {
  const actual = await original<typeof migrating>()
  const migrate: typeof migrating.migrate = async (options) => {
    // The migrations up to those of the backup have a folder of their own.
    if (failing.migration && options.folder === undefined) throw new Error('the disk is full')
    return actual.migrate(options)
  }
  return { ...actual, migrate }
})

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
  failing.migration = true
  await expect(restore(config, at, () => {})).rejects.toThrow('the disk is full')
  const found = await withClient(database.ownerUrl, (client) => client.query(unguarded))
  expect(found.rows).toEqual([])
  const anchors = await openAnchors(config.dataDirectory)
  expect(await anchors.list()).toEqual([ines.id])
  expect(await anchors.find(ines.id)).toMatchObject({ kind: 'restore', sequence: 1 })
})
