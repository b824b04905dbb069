import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestApi, type TestApi } from '../tests/support/api'
import { untilOneWaits } from '../tests/support/locks'
import { textList } from './core/database/text-list'
import { jobs, type Jobs, startJobs } from './jobs'
import { within } from '../tests/support/machine-load'

let api: TestApi
const running: Jobs[] = []
beforeAll(async () => void (api = await createTestApi()))
afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()))
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
  await expect.poll(done, { timeout: within(40_000), interval: 200 }).toEqual(expected)
  const ticks = await api.deps.pool.query<{ slots: string; ticks: string }>(
    `select count(distinct singleton_on) as slots, count(*) as ticks from pgboss.job where name = 'rollouts'`,
  )
  expect(Number(ticks.rows[0]?.ticks)).toBeGreaterThan(0)
  expect(ticks.rows[0]?.ticks).toBe(ticks.rows[0]?.slots)
  expect(api.lines.filter((line) => line.includes('"level":50'))).toEqual([])
  await Promise.all(running.splice(0).map((one) => one.stop()))
})

it('a process without anything to do asks one statement in a second, and queues no run', async () => {
  const asked = vi.spyOn(api.deps.pool, 'query')
  running.push(await startJobs(api.deps))
  const countLooks = () => asked.mock.calls.filter(([query]) => JSON.stringify(query).includes('look for work')).length
  const expectLooks = (count: number) => expect.poll(countLooks, { timeout: within(60_000) }).toBeGreaterThanOrEqual(count)
  const runs = async (names: readonly string[]) => {
    const { rows } = await api.ownerDb.execute(sql`select id from pgboss.job where name in ${textList(names)}`)
    return rows.length
  }
  const [resting, others] = [true, false].map((rests) =>
    jobs.filter(({ when }) => (when !== undefined) === rests).map(({ name }) => name),
  ) as [string[], string[]]
  // The first turns of all jobs have ended.
  await expectLooks(3)
  const [before, queued] = [asked.mock.calls.length, await runs(resting)]
  const looks = countLooks()
  await expectLooks(looks + 8)
  const statements = asked.mock.calls.length - before
  const more = statements - (countLooks() - looks)
  expect(await runs(resting)).toBe(queued)
  // Each job without a condition may have a turn meanwhile, of up to four statements: at a full hour most of them have.
  expect(more).toBeLessThanOrEqual(others.length * 4)
  expect(jobs.filter(({ when, everyS }) => when === undefined && everyS < 60)).toEqual([])
  asked.mockRestore()
  const notified = await runs(['notifications'])
  await api.ownerDb.execute(sql`insert into notification_queue (event_id) values ('evt_1')`)
  await expect.poll(() => runs(['notifications']), { timeout: within(60_000) }).toBeGreaterThan(notified)
  await Promise.all(running.splice(0).map((one) => one.stop()))
})

it('F-25: after a stop, even in the middle of a run, no more queries reach the database', async () => {
  const { pool } = api.deps
  const asked = vi.spyOn(pool, 'query')
  const started = await startJobs(api.deps)
  await started.stop()
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

it('F-25: a run that outlasts the stop asks the database nothing more', async () => {
  const asked = vi.spyOn(api.deps.pool, 'query')
  const lines = api.lines.length
  await api.ownerDb.execute(sql`insert into notification_queue (event_id) values ('evt_2')`)
  await api.ownerDb.transaction(async (tx) => {
    // It can be read: the run waits for the rows.
    await tx.execute(sql`lock table notification_queue in exclusive mode`)
    const started = await startJobs(api.deps)
    await untilOneWaits(api.db)
    await started.stop()
  })
  const count = asked.mock.calls.length
  const outlasted = () => api.lines.slice(lines).filter((line) => line.includes('a job outlasted the stop of its process'))
  await expect.poll(() => outlasted().length, { timeout: within(60_000) }).toBeGreaterThan(0)
  expect(asked).toHaveBeenCalledTimes(count)
  expect(api.lines.slice(lines).filter((line) => line.includes('could not be queued'))).toEqual([])
  asked.mockRestore()
})
