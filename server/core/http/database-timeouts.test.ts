import Fastify from 'fastify'
import { type SQL, sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../tests/support/database'
import { openDatabase, type OpenDatabase } from '../database/open'
import { createLog } from '../log'
import { createErrorHandler } from './error-handler'

let database: TestDatabase
let open: OpenDatabase

beforeAll(async () => {
  database = await createDatabase()
  open = openDatabase({ url: database.ownerUrl, onError: () => {} })
})
afterAll(async () => {
  await open.close()
  await database.drop()
})

/** The answer to a request that runs a statement under a limit, and what is logged of it. */
const answerOf = async (limit: SQL, statement: SQL) => {
  const lines: string[] = []
  const loggerInstance = createLog('warn', { write: (line: string) => void lines.push(line) })
  const app = Fastify({ loggerInstance })
  app.setErrorHandler(createErrorHandler(new Map()))
  app.get('/', () =>
    open.db.transaction(async (tx) => {
      await tx.execute(limit)
      return tx.execute(statement)
    }),
  )
  const answer = await app.inject('/')
  await app.close()
  return { answer, logged: lines.map((line): Record<string, unknown> => JSON.parse(line)) }
}

const holdingLock = async <T>(work: () => Promise<T>): Promise<T> =>
  open.db.transaction(async (tx) => {
    await tx.execute(sql`lock table devices in access exclusive mode`)
    return work()
  })

const cases: [string, string, () => ReturnType<typeof answerOf>][] = [
  [
    'a statement that takes too long',
    '57014',
    () => answerOf(sql`set local statement_timeout = '20ms'`, sql`select pg_sleep(60), ${'a value'}::text`),
  ],
  [
    'a lock that is not free in time',
    '55P03',
    () => holdingLock(() => answerOf(sql`set local lock_timeout = '20ms'`, sql`select id from devices where id = ${'a value'}`)),
  ],
]

it.each(cases)('F-21: %s is answered with 503 and Retry-After, and logged as a warning', async (_, code, run) => {
  const { answer, logged } = await run()
  expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'unavailable'])
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect(answer.json().error.retry_after_s).toBe(Number(answer.headers['retry-after']))
  expect(logged).toHaveLength(1)
  expect(logged[0]).toMatchObject({
    level: pino.levels.values.warn,
    error_code: code,
    statement: expect.stringContaining('select'),
    request_id: answer.json().error.request_id,
  })
  expect(JSON.stringify(logged)).not.toMatch(/stack|a value/)
})

it('a statement that is wrong is answered with 500 and logged as an error', async () => {
  const { answer, logged } = await answerOf(sql`select 1`, sql`select nothing`)
  expect(answer.statusCode).toBe(500)
  expect(logged).toMatchObject([{ level: pino.levels.values.error, err: { stack: expect.any(String) } }])
})
