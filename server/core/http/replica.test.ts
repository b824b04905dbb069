import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deviceSystemLogs } from '../../../contract/fleet/device-logs'
import { createPersonalProject } from '../../../contract/accounts/project-changes'
import { createTag, tags } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { createTestObjects } from '../../../tests/support/test-objects'
import { type Database, openDatabase } from '../database/open'

let api: TestApi
let ann: Awaited<ReturnType<TestApi['person']>>
let projectId: string
let deviceId: string

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = (await api.call(createPersonalProject, {}, { as: ann, body: { name: 'Gateways' } })).body.id
  deviceId = (await createTestObjects(api.deps).device(projectId)).id
})
afterAll(() => api.close())

const readLogs = async () => (await api.call(deviceSystemLogs, { deviceId }, { as: ann })).status
const listTags = async () => (await api.call(tags, { projectId }, { as: ann })).status

it('what only devices write is read from the replica, and what people write from the primary', async () => {
  let reads = 0
  const counted: Database = new Proxy(api.db, {
    get: (target, name, receiver) => {
      if (name === 'select' || name === 'execute') reads++
      return Reflect.get(target, name, receiver)
    },
  })
  api.deps.findReplica = () => counted
  expect(await listTags()).toBe(200)
  expect(reads).toBe(0)
  expect(await readLogs()).toBe(200)
  expect(reads).toBeGreaterThan(0)
})

it('a read that the replica fails at is answered by the primary, also if the replica lacks a new object', async () => {
  const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', onError: () => {} })
  api.deps.findReplica = () => away.db
  expect(await readLogs()).toBe(200)
  await away.close()
  const empty = await createTestApi()
  api.deps.findReplica = () => empty.db
  expect(await readLogs()).toBe(200)
  await empty.close()
})

it('F-18: a change at a server that is no longer the primary is refused with 503, not as an error of the program', async () => {
  await api.ownerDb.execute(
    sql.raw(
      `alter role teasel_host in database "${new URL(api.ownerUrl).pathname.slice(1)}" set default_transaction_read_only = on`,
    ),
  )
  await api.ownerDb.execute(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await expect.poll(readLogs).toBe(200)
  const { status, headers } = await api.call(createTag, { projectId }, { as: ann, body: { name: 'north', colour: 'moss' } })
  expect([status, Number(headers['retry-after']) > 0]).toEqual([503, true])
})
