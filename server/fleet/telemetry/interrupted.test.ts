import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql, type SQL } from 'drizzle-orm'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from '../../core/database/clients'
import { createDevice } from '../../../contract/fleet/devices'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { untilOneWaits } from '../../../tests/support/locks'
import { initialMetricState } from './health'
import { insertMetrics } from './metrics.repository'
import { applyRetention } from './retention'
import { rollUp } from './roll-up.repository'

const script = fileURLToPath(new URL('../../../tests/support/telemetry-process.ts', import.meta.url))

let api: TestApi

beforeEach(async () => {
  api = await createTestApi()
})
afterEach(() => api.close())

const rowsOf = async (query: SQL) => (await api.ownerDb.execute(query)).rows

/** Starts a job in its own process, waits until it stops at a row that is locked here, and kills it there. */
const killAtLock = async (job: 'roll-up' | 'retention', now: Date, row: { text: string; values: unknown[] }) => {
  const holder = createClient({ connectionString: api.config.databaseUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    expect((await holder.query(row.text, row.values)).rowCount).toBe(1)
    const env = { ...process.env, DATABASE_URL: api.config.databaseUrl ?? '' }
    const child = spawn(process.execPath, ['--import', 'tsx', script, job, now.toISOString()], { env, stdio: 'inherit' })
    const ended = once(child, 'exit')
    const blocked = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(() => rowsOf(blocked)).toHaveLength(1)
    child.kill('SIGKILL')
    expect((await ended)[1]).toBe('SIGKILL')
    await rowsOf(sql`select pg_terminate_backend(pid) from (${blocked}) as waiting`)
    await expect.poll(() => rowsOf(blocked)).toHaveLength(0)
  } finally {
    await holder.end()
  }
}

const fleet = sql`select project_id, name, step_s, at::text, n, sum, min, max, bins, counts from fleet_metrics order by 2, 3, 4`
const hours = sql`select device_id, name, at::text, n, sum, min, max from metric_hours order by 1, 2, 3`

it('F-16: a roll-up that is killed between its steps and goes on has the result of an undisturbed one', async () => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const now = api.deps.clock()
  const device = { name: 'gateway', hardware_model: 'gw' }
  const { id: deviceId } = (await api.call(createDevice, { projectId }, { as: ann, body: device })).body
  const owner = { projectId, deviceId }
  const from = now.getTime() - 7_200_000
  const latest = ['load.1m', 'last'].map((name) => ({ ...initialMetricState, name, unit: null, at: now.getTime(), value: 1 }))
  const points = [{ name: 'last', unit: null, tsMs: from, value: 1 }]
  await insertMetrics(api.db, [{ owner, points, areNew: true, latest, before: null }])
  await rollUp(api.db, new Date(from))
  // Three steps of at most a thousand batches; the row of `last` is only in the third.
  await rowsOf(sql`
    with added as (
      insert into metric_points (project_id, device_id, name, at, value)
      select ${projectId}, ${deviceId}, case when n <= 2050 then 'load.1m' else 'last' end,
        ${new Date(from).toISOString()}::timestamptz + n * case when n <= 2050 then interval '1 second' else interval '1 ms' end, 1 + n % 50
      from generate_series(1, 2100) as n returning *
    )
    insert into metric_batches (project_id, device_id, names, times, amounts)
    select project_id, device_id, array[name], array[at], array[value] from added order by name desc, at`)
  const undisturbed = await rowsOf(sql`
    select name, count(*)::int as n, sum(value), min(value), max(value) from metric_points group by name order by name`)

  const locked = "select from fleet_metrics where project_id = $1 and name = 'last' and step_s = 900 for update"
  await killAtLock('roll-up', now, { text: locked, values: [projectId] })
  expect(await rowsOf(sql`select count(*)::int as n from metric_batches`)).toEqual([{ n: 100 }])
  await rollUp(api.db, now)

  expect(await rowsOf(sql`select from metric_batches`)).toEqual([])
  const counted = (table: SQL) =>
    rowsOf(sql`select name, sum(n)::int as n, sum(sum), min(min), max(max) from ${table} group by name order by name`)
  expect(await counted(sql`metric_hours`)).toEqual(undisturbed)
  for (const step of [60, 900, 3600])
    expect(await counted(sql`(select * from fleet_metrics where step_s = ${step}) as steps`)).toEqual(undisturbed)
  const result = [await rowsOf(fleet), await rowsOf(hours)]

  await rowsOf(sql`delete from fleet_metrics`)
  await rowsOf(sql`delete from metric_hours`)
  await rowsOf(sql`
    insert into metric_batches (project_id, device_id, names, times, amounts)
    select project_id, device_id, array_agg(name), array_agg(at), array_agg(value) from metric_points group by 1, 2`)
  await rollUp(api.db, now)
  expect([await rowsOf(fleet), await rowsOf(hours)]).toEqual(result)
})

it('F-16: retention that is killed in the middle goes on with the rest, and keeps what is not too old', async () => {
  const { id: ownerId } = await api.person({ plan: 'developer' })
  const projectId = await api.project({ ownerId })
  const now = api.deps.clock()
  const fill = (first: number, count: number, days: number) =>
    rowsOf(sql`
      insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, message, fields)
      select ${projectId}, 'device', n, n, ${now.toISOString()}::timestamptz - make_interval(days => ${days}::int), 6, 'kernel', 'up', '{}'
      from generate_series(${first}::int, ${first + count - 1}::int) as n`)
  // Creates the partitions: their creation would wait for the lock.
  await applyRetention(api.db, now)
  await fill(1, 45_000, 4)
  await fill(50_000, 10, 2)

  const locked = 'select from device_logs where project_id = $1 and sequence = 30000 for update'
  await killAtLock('retention', now, { text: locked, values: [projectId] })
  expect(await rowsOf(sql`select count(*)::int as n from device_logs`)).toEqual([{ n: 25_010 }])
  await applyRetention(api.db, now)
  expect(await rowsOf(sql`select count(*)::int as n, min(sequence)::int as first from device_logs`)).toEqual([
    { n: 10, first: 50_000 },
  ])
})

it('the creation of partitions and a roll-up do not deadlock, whichever table each has locked first', async () => {
  const rollUpClient = createClient({ connectionString: api.config.databaseUrl })
  await rollUpClient.connect()
  try {
    await rollUpClient.query('begin')
    await rollUpClient.query('select from metric_hours limit 1')
    // No partition of that time exists yet.
    const made = applyRetention(api.db, new Date('2040-01-01T00:00:00Z'))
    await untilOneWaits(api.db)
    await rollUpClient.query('select from metric_points limit 1')
    await rollUpClient.query('commit')
    await made
  } finally {
    await rollUpClient.end()
  }
  const { length } = await rowsOf(sql`select from pg_class where relname = 'metric_hours_2040_01'`)
  expect(length).toBe(1)
})
