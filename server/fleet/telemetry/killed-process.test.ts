import { once } from 'node:events'
import { request } from 'node:http'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as wire from '../../../contract/device/endpoints'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { openDatabaseLine } from '../../../tests/support/database-line'
import { checkInBody } from '../../../tests/support/devices'
import { newDevice } from '../../../tests/support/new-device'
import { startApiProcess } from '../../../tests/support/start-api-process'
import { hashOf } from '../../core/tokens/token'
import { within } from '../../../tests/support/machine-load'

type Device = { id: string; token: string }

let api: TestApi
let projectId: string

beforeAll(async () => {
  api = await createTestApi()
  // The process has the real clock: times of metrics and tokens must be valid by it.
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  projectId = await api.project({ ownerId: (await api.person()).id })
})
afterAll(() => api.close())

const newDevices = (count: number) => Promise.all(Array.from({ length: count }, () => newDevice(api, projectId)))

type Batch = { path: string; body: string; type: string }

const json = (path: string, body: object): Batch => ({ path, body: JSON.stringify(body), type: 'application/json' })
const counter = 'net.eth0.rx_bytes_total'
const metricsAt = (ts_ms: number, value: number) =>
  json(wire.metrics.path, { points: ['load.1m', counter].map((name) => ({ name, ts_ms, value })) })
const linesFrom = (first: number): Batch => {
  const line = { ts_ms: 1000, level: 'info', unit: 'kernel', message: 'up', boot_id: checkInBody().boot_id }
  const body = [first, first + 1, first + 2].map((sequence) => JSON.stringify({ ...line, sequence })).join('\n')
  return { path: wire.logs.path, body, type: 'application/x-ndjson' }
}

/** The status, or 0 if the connection ends without an answer. */
const send = (port: number, { token }: Device, { path, body, type }: Batch): Promise<number> =>
  new Promise((resolve) => {
    const headers = { host: new URL(api.config.urls.api).host, authorization: `Bearer ${token}`, 'content-type': type }
    const sent = request({ host: '127.0.0.1', port, method: 'POST', path, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.on('error', () => resolve(0))
    sent.end(body)
  })

const sendAll = (port: number, fleet: readonly Device[], batch: Batch) =>
  Promise.all(fleet.map((device) => send(port, device, batch)))

const rowsOf = async <Row extends Record<string, unknown>>(query: ReturnType<typeof sql>) =>
  (await api.db.execute<Row>(query)).rows
const among = (fleet: readonly Device[]) => sql`device_id = any(string_to_array(${fleet.map(({ id }) => id).join(',')}, ','))`
const countIn = async (table: 'metric_points' | 'device_logs', fleet: readonly Device[]) =>
  (await rowsOf<{ n: number }>(sql`select count(*)::int as n from ${sql.identifier(table)} where ${among(fleet)}`))[0]?.n

it('F-16: batches that a process killed before its answers has stored together are neither lost nor doubled when devices repeat them', async () => {
  const [first, second, ...fleet] = await newDevices(20)
  const logging = await newDevices(4)
  if (!first || !second) throw new Error('there are no devices')
  const minute = 60_000
  const now = Date.now()
  let phase: 'open' | 'held' | 'mute' = 'open'
  const isStore = (sent: Buffer) => sent.includes('store_metrics') || sent.includes('store_log_lines')
  const line = await openDatabaseLine(api.config.databaseUrl ?? '', {
    isHeld: (sent) => phase === 'held' && isStore(sent),
    isMute: (sent) => phase === 'mute' && isStore(sent),
  })
  const { child, port } = await startApiProcess({ ...api, config: { ...api.config, databaseUrl: line.url } })
  try {
    const accepted = fleet.map(() => 202)
    expect(await sendAll(port, fleet, metricsAt(now - minute, 100))).toEqual(accepted)
    const before = await countIn('metric_points', fleet)

    // Two statements at most run at a time, so that the batches that come now are stored by one after them.
    line.forget()
    phase = 'held'
    const early = [first, second].map(async (device, n) => {
      await expect.poll(line.heldCount, { timeout: within(20_000) }).toBe(n)
      return send(port, device, metricsAt(now, 1))
    })
    await expect.poll(line.heldCount, { timeout: within(20_000) }).toBe(2)
    const late = sendAll(port, fleet, metricsAt(now, 350))
    await expect.poll(() => fleet.every(({ token }) => line.hasAnswered(hashOf(token))), { timeout: within(20_000) }).toBe(true)
    phase = 'mute'
    line.release()
    expect(await Promise.all(early)).toEqual([202, 202])
    const lines = sendAll(port, logging, linesFrom(1))
    await expect.poll(() => countIn('metric_points', fleet), { timeout: within(20_000) }).toBe((before ?? 0) + 2 * fleet.length)
    await expect.poll(() => countIn('device_logs', logging), { timeout: within(20_000) }).toBe(3 * logging.length)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(new Set([...(await late), ...(await lines)])).toEqual(new Set([0]))
    const stores = await rowsOf(sql`
      select xmin::text from metric_points where ${among(fleet)} and at = ${new Date(now).toISOString()}::timestamptz group by 1`)
    expect(stores.length).toBeLessThan(fleet.length)
  } finally {
    child.kill('SIGKILL')
    await line.close()
  }

  const next = await startApiProcess(api)
  try {
    expect(await sendAll(next.port, fleet, metricsAt(now, 350))).toEqual(fleet.map(() => 202))
    expect(await sendAll(next.port, logging, linesFrom(1))).toEqual(logging.map(() => 202))
    expect(await sendAll(next.port, fleet, json(wire.checkIn.path, checkInBody()))).toEqual(fleet.map(() => 200))
    expect(await sendAll(next.port, logging, linesFrom(4))).toEqual(logging.map(() => 202))
    // The last contacts were in memory: they are written with those of the repeated requests.
    const unseen = sql`select id from devices where last_seen_at is null and id in (select device_id from metric_points where ${among(fleet)})`
    await expect.poll(() => rowsOf(unseen), { timeout: within(20_000) }).toEqual([])
  } finally {
    next.child.kill('SIGKILL')
    await once(next.child, 'exit')
  }

  const sums = sql`select name, count(*)::int as n, sum(value)::int as sum`
  // Of a counter its increase is stored, once it has a first value.
  const stored = [
    { name: 'load.1m', n: 2 * fleet.length, sum: 450 * fleet.length },
    { name: counter, n: fleet.length, sum: 250 * fleet.length },
  ]
  expect(await rowsOf(sql`${sums} from metric_points where ${among(fleet)} group by name order by name`)).toEqual(stored)
  // What the roll-up will count.
  expect(
    await rowsOf(sql`
      ${sums} from (select unnest(names) as name, unnest(amounts) as value from metric_batches where ${among(fleet)}) as queued
      group by name order by name`),
  ).toEqual(stored)
  const numbers = await rowsOf(sql`
    select array_agg(sequence::int order by sequence) as numbers from device_logs where ${among(logging)} group by device_id`)
  expect(numbers).toEqual(logging.map(() => ({ numbers: [1, 2, 3, 4, 5, 6] })))
})
