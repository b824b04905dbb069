import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { repetitions } from '../../../tests/support/counts'
import { createClient, createPool } from './clients'
import { openEmbedded } from './embedded'

let directory: string
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'teasel-clients-'))))
afterAll(() => rm(directory, { recursive: true, force: true }))

const uncaught: unknown[] = []
const note = (error: unknown) => uncaught.push(error)
beforeAll(() => void process.on('uncaughtExceptionMonitor', note))
afterAll(() => void process.off('uncaughtExceptionMonitor', note))

/** An idle connection, one in a transaction, one in the middle of a query, and a pool with all three. */
const openAll = async (connectionString: string) => {
  const errors: Error[] = []
  const pool = createPool({ connectionString }, (error) => errors.push(error))
  const [idle, busy] = [createClient({ connectionString }), createClient({ connectionString })]
  await Promise.all([idle.connect(), busy.connect()])
  const [held, ...others] = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
  for (const one of others) one.release()
  await held.query('begin')
  const sleeps = [busy, pool].map((one) =>
    one.query('select pg_sleep(600)').then(
      () => 'ended',
      () => 'was cut',
    ),
  )
  const end = async () => {
    held.release()
    await Promise.all([pool.end(), idle.end(), busy.end()])
  }
  return { pool, errors, sleeps, end }
}

it('clients and pools survive PostgreSQL that is stopped before, while and after they are closed, and say so once for each idle connection', async () => {
  for (let n = 0; n < repetitions(3, 100); n++) {
    const postgres = await openEmbedded({ directory, durable: false })
    const { errors, sleeps, end } = await openAll(postgres.url)
    if (n % 3 === 0) {
      await postgres.stop()
      expect(await Promise.all(sleeps)).toEqual(['was cut', 'was cut'])
      await expect.poll(() => errors.length).toBe(1)
      await end()
    } else if (n % 3 === 1) {
      await Promise.all([postgres.stop(), end()])
    } else {
      void Promise.all(sleeps)
      const ending = end()
      await postgres.stop()
      await ending
    }
    expect(uncaught).toEqual([])
  }
})
