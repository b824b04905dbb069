import { pino } from 'pino'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTag } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { createDatabase } from '../../../tests/support/database'
import { verify } from '../audit/chain'
import { readConfig } from '../config'
import { openStore } from './store'
import { openDatabase } from './open'
import { createRole, grantHostRights, mayChangeAuditLog, roleOf, withClient } from './roles'

let api: TestApi
let ownerUrl: string
let chainId: string
let projectId: string

beforeAll(async () => {
  api = await createTestApi()
  ownerUrl = api.ownerUrl
  const person = await api.person()
  chainId = person.id
  projectId = await api.project({ ownerId: person.id })
  for (const name of ['a', 'b', 'c']) await api.call(createTag, { projectId }, { as: person, body: { name, colour: 'sky' } })
})
afterAll(() => api.close())

const partitions = async () => {
  const { rows } = await api.ownerDb.execute<{ name: string }>(
    sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_entries'::regclass`,
  )
  return rows.map(({ name }) => name)
}

const refusal = (text: string, database = api.db) =>
  database.execute(sql.raw(text)).then(
    () => 'done',
    (error: { cause?: { code?: string } }) => error.cause?.code ?? 'unknown',
  )

const attacks = (table: string) => [
  `update ${table} set hash = 'x'`,
  `delete from ${table}`,
  `truncate ${table}`,
  `drop table ${table} cascade`,
  `alter table ${table} disable trigger all`,
]

describe('T-20', () => {
  it('the role of the hosts may only read and append to the audit log, whichever table or partition it names', async () => {
    await api.db.execute(sql`select make_partitions('audit_entries', '2026-07-01'::date, 2)`)
    const parts = await partitions()
    expect(parts).toContain('audit_entries_2026_07')
    for (const text of ['audit_entries', 'audit_chains', ...parts].flatMap(attacks))
      expect([text, await refusal(text)]).toEqual([text, '42501'])
    for (const text of [
      `set session_replication_role = replica`,
      `insert into audit_chains values ('x', 0, 'x', 0, 'x')`,
      `insert into audit_entries_default select * from audit_entries limit 1`,
      `select drop_partitions('audit_entries', now())`,
      `select drop_partitions('public.audit_entries', now())`,
      `create table audit_entries_copy (id int)`,
      `create schema teasel_host`,
      `set role teasel`,
    ])
      expect([text, await refusal(text)]).toEqual([text, '42501'])
    expect(await verify(api.db, chainId)).toEqual({ whole: true, head: 3 })
  })

  it('an entry that does not continue its chain is refused', async () => {
    const copy = (sequence: string, previous: string) =>
      `insert into audit_entries select chain_id, ${sequence}, id, occurred_at, action, result, actor, credential, source_ip, user_agent,
        request_id, project_id, target, changes, reason, ${previous}, hash from audit_entries where chain_id = '${chainId}' and sequence = 3`
    expect(await refusal(copy('5', 'hash'))).toBe('42501')
    expect(await refusal(copy('4', 'prev_hash'))).toBe('42501')
    expect(await verify(api.db, chainId)).toEqual({ whole: true, head: 3 })
  })

  it('also the role that owns the tables is refused a change, a removal and a truncation of the log, its partitions and its heads', async () => {
    // Not a superuser: the case of an external database with a single role.
    const texts = ['audit_entries', 'audit_chains', ...(await partitions())].flatMap((table) => attacks(table).slice(0, 3))
    for (const text of texts) {
      const answer = await refusal(text, api.ownerDb)
      const empty = /_default|_2026_/.test(text) && !text.startsWith('truncate')
      // Row triggers of an empty table do not fire.
      if (!empty || answer !== 'done') expect([text, answer]).toEqual([text, '42501'])
    }
    expect(await verify(api.db, chainId)).toEqual({ whole: true, head: 3 })
  })
})

describe('the start', () => {
  const start = async (variables: Record<string, string>) => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const store = await openStore(readConfig(variables), log, { onOpened: () => {}, onMoved: () => {} })
    return { store, warnings: lines.filter((line) => line.includes('may change the audit log')) }
  }

  it('works with one role for all, and warns that it may change the audit log', async () => {
    const own = await createDatabase({ bare: true })
    const { store, warnings } = await start({ DATABASE_URL: own.ownerUrl })
    expect(warnings).toHaveLength(1)
    expect(await mayChangeAuditLog(store.url())).toBe(true)
    await own.drop()
  })

  it('with an owner of its own migrates as the owner, gives the role of the hosts its rights, and warns of nothing', async () => {
    const own = await createDatabase({ bare: true })
    const owner = `teasel_owner_${process.pid}`
    const host = `teasel_hosts_${process.pid}`
    const at = (role: string) => {
      const url = new URL(own.ownerUrl)
      url.username = role
      url.password = 'secret'
      return url.href
    }
    await withClient(own.ownerUrl, async (client) => {
      await createRole(client, owner, 'secret')
      await createRole(client, host, 'secret')
      await client.query(`alter database ${new URL(own.ownerUrl).pathname.slice(1)} owner to ${owner}`)
    })
    const variables = { DATABASE_URL: at(host), DATABASE_OWNER_URL: at(owner) }
    const { store, warnings } = await start(variables)
    expect(warnings).toEqual([])
    expect([roleOf(store.url()), roleOf(store.ownerUrl())]).toEqual([host, owner])
    // A second start changes nothing, and neither does a start that knows only the role of the hosts.
    expect((await start(variables)).warnings).toEqual([])
    expect((await start({ DATABASE_URL: at(host) })).warnings).toEqual([])
    await own.drop()
    await withClient(ownerUrl, async (client) => void (await client.query(`drop role ${owner}, ${host}`)))
  })

  it('a DATABASE_OWNER_URL without DATABASE_URL is refused by name', () => {
    expect(() => readConfig({ DATABASE_OWNER_URL: ownerUrl })).toThrow('DATABASE_OWNER_URL: set DATABASE_URL too')
  })

  it('takes the tables of the job queue from a former owner', async () => {
    const own = await createDatabase()
    await withClient(own.ownerUrl, async (client) => {
      await client.query('create table pgboss.version (version int)')
      await grantHostRights(client, roleOf(own.url))
    })
    const { db, close } = openDatabase({ url: own.url, onError: () => {} })
    expect(await refusal('create table pgboss.mine (id int)', db)).toBe('done')
    await close()
    await own.drop()
  })
})
