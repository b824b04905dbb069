import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestApi, type TestApi } from '../tests/support/api'
import { type Jobs, startJobs } from './jobs'

let api: TestApi
const running: Jobs[] = []
beforeAll(async () => void (api = await createTestApi()))
afterAll(async () => {
  await Promise.all(running.map((jobs) => jobs.stop()))
  await api.close()
})

type Row = { name: string; state: string; once: boolean }

it('two processes on one database run each job once per time slot', async () => {
  running.push(...(await Promise.all([startJobs(api.deps), startJobs(api.deps)])))
  const done = async () => {
    const { rows } = await api.deps.pool.query<Row>(
      // A slot may end during the test: then there are two, each with one run.
      `select name, state, count(*) = count(distinct singleton_on) as once from pgboss.job where name in ('uploads', 'plumbing', 'retention', 'integrity') group by 1, 2`,
    )
    return rows.map(({ name, state, once }) => `${name} ${state} ${once ? 'once' : 'twice'}`).toSorted()
  }
  const expected = ['integrity completed once', 'plumbing completed once', 'retention completed once', 'uploads completed once']
  await expect.poll(done, { timeout: 40_000, interval: 200 }).toEqual(expected)
  const ticks = await api.deps.pool.query<{ slots: string; ticks: string }>(
    `select count(distinct singleton_on) as slots, count(*) as ticks from pgboss.job where name = 'rollouts'`,
  )
  expect(Number(ticks.rows[0]?.ticks)).toBeGreaterThan(0)
  expect(ticks.rows[0]?.ticks).toBe(ticks.rows[0]?.slots)
  expect(api.lines.filter((line) => line.includes('"level":50'))).toEqual([])
})

it('F-25: after a stop, even in the middle of a run, no more queries reach the database', async () => {
  const { pool } = api.deps
  const asked = vi.spyOn(pool, 'query')
  const jobs = await startJobs(api.deps)
  await jobs.stop()
  const count = asked.mock.calls.length
  expect(count).toBeGreaterThan(0)
  expect(asked.mock.settledResults.filter(({ type }) => type === 'incomplete')).toEqual([])
  // Anything that a late answer would start has run by now.
  const client = await pool.connect()
  await client.query('select 1')
  client.release()
  expect(asked).toHaveBeenCalledTimes(count)
  asked.mockRestore()
})
