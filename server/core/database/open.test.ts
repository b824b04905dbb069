import type { Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../tests/support/database'
import { readConfig } from '../config'
import { moveConnections, openDatabase, type OpenDatabase, requestLimits } from './open'

let database: TestDatabase
let open: OpenDatabase

beforeAll(async () => {
  database = await createDatabase()
  open = openDatabase({ url: database.url, onError: () => {}, statementTimeoutMs: 200 })
})
afterAll(async () => {
  await open.close()
  await database.drop()
})

it('reads a bigint as a number, and refuses one that would lose digits', async () => {
  const { rows } = await open.pool.query('select 9007199254740991::bigint as size, count(*) as n from pg_class')
  expect(rows[0].size).toBe(9007199254740991)
  expect(rows[0].n).toBeTypeOf('number')
  await expect(open.pool.query('select 9007199254740993::bigint as size')).rejects.toThrow('does not fit')
})

it('F-21: a slow statement is ended by the server, others go on', async () => {
  const slow = open.db.execute(sql`select pg_sleep(30)`)
  await expect(slow).rejects.toMatchObject({ cause: { code: '57014' } })
  expect((await open.db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
})

it('F-21: a statement of a request may take five seconds, unless a variable says otherwise', async () => {
  const limits = []
  for (const variables of [{}, { TEASEL_LIMIT_DATABASE_S: '7' }]) {
    const of = openDatabase({ url: database.url, onError: () => {}, ...requestLimits(readConfig(variables)) })
    const { rows } = await of.pool.query('show statement_timeout')
    limits.push([rows[0].statement_timeout, of.pool.options.connectionTimeoutMillis])
    await of.close()
  }
  expect(limits).toEqual([
    ['5s', 5000],
    ['7s', 7000],
  ])
})

it('F-18: the pool survives a connection that the server ends', async () => {
  const broken = new Promise<Error>((resolve) => open.pool.once('error', resolve))
  const { rows } = await open.pool.query('select pg_backend_pid() as pid')
  const other = openDatabase({ url: database.url, onError: () => {} })
  await other.pool.query('select pg_terminate_backend($1)', [rows[0].pid])
  await other.close()
  expect((await broken).message).toMatch(/terminat/)
  expect((await open.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

it('the pool survives a connection that the server ends while it is checked out', async () => {
  const client = await open.pool.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const ended = new Promise((resolve) => client.once('end', resolve))
  // Without a listener this would be an uncaught `error` event, which ends the process.
  expect(client.listenerCount('error')).toBeGreaterThan(0)
  await open.pool.query('select pg_terminate_backend($1)', [rows[0].pid])
  await ended
  client.release()
  expect((await open.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

it('F-18: a transaction whose connection breaks before it begins returns it to the pool', async () => {
  const small = openDatabase({ url: database.url, onError: () => {}, connections: 1 })
  const begun = () => small.db.transaction((tx) => tx.execute(sql`select 1 as one`))
  await begun()
  // The pool has noticed nothing yet when `begin` is sent.
  small.pool.once('acquire', (client) => {
    const { connection } = client as unknown as { connection: { stream: Socket } }
    connection.stream.destroy()
  })
  await expect(begun()).rejects.toThrow()
  expect((await begun()).rows).toEqual([{ one: 1 }])
  await small.close()
})

it('every pool of the process follows the database to its new address', async () => {
  const other = await createDatabase()
  const moving = openDatabase({ url: database.url, onError: () => {} })
  moveConnections(other.url)
  const { rows } = await moving.pool.query('select current_database() as name')
  expect(`/${rows[0].name}`).toBe(new URL(other.url).pathname)
  moveConnections(database.url)
  await moving.close()
  await other.drop()
})
