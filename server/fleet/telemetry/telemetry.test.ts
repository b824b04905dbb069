import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { ulid } from 'ulid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as wire from '../../../contract/device/endpoints'
import * as deviceLogs from '../../../contract/fleet/device-logs'
import * as contract from '../../../contract/fleet/devices'
import * as monitor from '../../../contract/overview/monitor'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { devices } from '../schema/devices'
import { issueDeviceToken } from '../devices/device-token.repository'
import { newRow } from '../../core/database/row'
import { applyRetention } from './retention'
import { rollUp } from './roll-up.repository'
import { binOf } from './sketch'

let api: TestApi
let ann: Person
let projectId: string
let deviceId: string
let token: string

beforeAll(async () => {
  api = await createTestApi()
})
afterAll(() => api.close())

const newDevice = async () => {
  const now = api.deps.clock()
  const facts = { hardwareModel: 'gw', lifecycle: 'active' as const, enrollment: 'group' as const, lastSeenAt: now }
  const row = { ...newRow(now), id: ulid(), projectId, ...facts }
  await api.db.insert(devices).values({ ...row, name: row.id })
  return { deviceId: row.id, token: await issueDeviceToken(api.db, { projectId, deviceId: row.id }, now) }
}

beforeEach(async () => {
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  const made = await newDevice()
  deviceId = made.deviceId
  token = made.token
})

const boot = randomUUID()
const line = (sequence: number, facts: object = {}) =>
  JSON.stringify({
    sequence,
    ts_ms: 1_780_000_000_000 + sequence,
    level: 'info',
    unit: 'kernel',
    message: `line ${sequence}`,
    boot_id: boot,
    ...facts,
  })
const sendLogs = async (...lines: string[]) => {
  const headers = {
    'content-type': 'application/x-ndjson',
    host: new URL(api.config.urls.api).host,
    authorization: `Bearer ${token}`,
  }
  const payload = lines.join('\n')
  const answer = await api.app.inject({ method: 'POST', url: wire.logs.path, headers, payload })
  expect(answer.statusCode, answer.payload).toBe(202)
  return answer.json<{ accepted: number; dropped: number; next_allowed_ms: number }>()
}
const readLogs = async (query: NonNullable<Parameters<typeof api.call<typeof deviceLogs.deviceSystemLogs>>[2]>['query'] = {}) =>
  (await api.call(deviceLogs.deviceSystemLogs, { deviceId }, { as: ann, query })).body
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

describe('log lines', () => {
  it('come out in order, by page and by what follows', async () => {
    await sendLogs(...range(1, 121).map((n) => line(n)))
    const newest = await readLogs({ limit: 50 })
    expect(newest.lines.map(({ sequence }) => sequence)).toEqual(range(71, 121))
    const older = await readLogs({ limit: 100, before_sequence: Number(newest.next_cursor) })
    expect(older.lines.map(({ sequence }) => sequence)).toEqual(range(1, 71))
    expect(older.next_cursor).toBe(null)
    expect((await readLogs({ after_sequence: 118 })).lines.map(({ sequence }) => sequence)).toEqual([119, 120])
    expect(newest.boots.map(({ boot_id }) => boot_id)).toEqual([boot])
  })

  it('are found by level, unit, boot and text', async () => {
    await sendLogs(line(1), line(2, { level: 'err', unit: 'app' }), line(3, { message: 'Out of memory', boot_id: randomUUID() }))
    const found = async (query: Parameters<typeof readLogs>[0]) => (await readLogs(query)).lines.map(({ sequence }) => sequence)
    expect(await found({ level_max: 'warning' })).toEqual([2])
    expect(await found({ unit: 'kernel' })).toEqual([1, 3])
    expect(await found({ boot_id: boot })).toEqual([1, 2])
    expect(await found({ q: 'out OF' })).toEqual([3])
    expect((await readLogs()).units).toEqual(['app', 'kernel'])
  })

  it('are kept once, however often they are sent', async () => {
    await sendLogs(line(1), line(2))
    expect(await sendLogs(line(1), line(2), line(3))).toMatchObject({ accepted: 3 })
    expect((await readLogs()).lines.map(({ message }) => message)).toEqual(['line 1', 'line 2', 'line 3'])
  })

  it('of a device that lost its state are listed after the earlier ones', async () => {
    await sendLogs(line(1), line(2))
    const again = randomUUID()
    await sendLogs(line(1, { boot_id: again, message: 'new 1' }), line(2, { boot_id: again, message: 'new 2' }))
    expect((await readLogs()).lines.map(({ message }) => message)).toEqual(['line 1', 'line 2', 'new 1', 'new 2'])
  })

  it('of a clock that was not set yet begin their boot, and their log, when they arrived', async () => {
    const now = api.deps.clock().getTime()
    await sendLogs(line(2, { ts_ms: 5000 }), line(3, { ts_ms: 6000 }), line(4, { ts_ms: now }))
    const { boots, oldest } = await readLogs()
    expect(boots).toEqual([{ boot_id: boot, first_ts_ms: now }])
    expect(oldest).toEqual({ sequence: 2, ts_ms: now, is_cut: true })
  })

  it('T-19: beyond 500 at once are dropped and counted, and accepted again later', async () => {
    expect(await sendLogs(...range(1, 801).map((n) => line(n)))).toMatchObject({ accepted: 500, dropped: 300 })
    expect(await sendLogs(line(801))).toMatchObject({ accepted: 0, dropped: 1, next_allowed_ms: 1000 })
    api.advance(2)
    expect(await sendLogs(...range(801, 1001).map((n) => line(n)))).toMatchObject({ accepted: 100, dropped: 100 })
    expect((await readLogs()).dropped).toBe(401)
  })

  it('T-19: more than 1000 at once are refused, and single invalid ones dropped', async () => {
    expect(await sendLogs(line(1), 'nonsense', line(2))).toMatchObject({ accepted: 2, dropped: 1 })
    const headers = {
      'content-type': 'application/x-ndjson',
      host: new URL(api.config.urls.api).host,
      authorization: `Bearer ${token}`,
    }
    const payload = range(1, 1002)
      .map((n) => line(n))
      .join('\n')
    expect((await api.app.inject({ method: 'POST', url: wire.logs.path, headers, payload })).statusCode).toBe(413)
  })
})

const minute = 60_000
const sendMetrics = async (as: string, ...points: [name: string, ts_ms: number, value: number][]) => {
  const body = { points: points.map(([name, ts_ms, value]) => ({ name, ts_ms, value, unit: '%' })) }
  const reply = await api.call(wire.metrics, {}, { as, body })
  expect(reply.status, reply.text).toBe(202)
  return reply.body
}
const startOfHour = () => Math.floor(api.deps.clock().getTime() / 3_600_000) * 3_600_000

describe('metrics of a device', () => {
  it('are aggregated by buckets, with null where there are no values', async () => {
    const from = startOfHour() - 10 * minute
    await sendMetrics(token, ['load.1m', from, 1], ['load.1m', from + 1000, 3], ['load.1m', from + 2 * minute, 9])
    const query = { names: 'load.1m', from, to: from + 4 * minute, step_s: 60, agg: 'avg,min,max,p50,p95' }
    const { body } = await api.call(monitor.deviceMetrics, { deviceId }, { as: ann, query })
    const values = Object.fromEntries(body.series.map(({ agg, points }) => [agg, points.map(([, value]) => value)]))
    expect(values).toEqual({
      avg: [2, null, 9, null],
      min: [1, null, 9, null],
      max: [3, null, 9, null],
      p50: [2, null, 9, null],
      p95: [2.9, null, 9, null],
    })
    expect(body.series[0]).toMatchObject({ unit: '%', labels: { device_id: deviceId } })
  })

  it('are counted once when they are sent twice, and refused when they are of another time', async () => {
    const now = api.deps.clock().getTime()
    await sendMetrics(token, ['load.1m', now, 1])
    await sendMetrics(token, ['load.1m', now, 1])
    const told = await sendMetrics(token, ['load.1m', now + 601_000, 1], ['load.1m', now - 8 * 86_400_000, 1])
    expect(told).toEqual({ accepted: 0, dropped: 2, reasons: { in_the_future: 1, too_old: 1 } })
    const { rows } = await api.db.execute(sql`select count(*)::int as n from metric_points where device_id = ${deviceId}`)
    expect(rows).toEqual([{ n: 1 }])
  })

  it('that are counters are stored as increments, also across a restart', async () => {
    const from = startOfHour() - 10 * minute
    const name = 'net.eth0.rx_bytes_total'
    await sendMetrics(token, [name, from, 100], [name, from + minute, 150], [name, from + 2 * minute, 20])
    const query = { names: name, from, to: from + 3 * minute, step_s: 60, agg: 'max' }
    const { body } = await api.call(monitor.deviceMetrics, { deviceId }, { as: ann, query })
    expect(body.series[0]?.points.map(([, value]) => value)).toEqual([null, 50, 20])
  })

  it('decide on its health, with hysteresis', async () => {
    const status = async () => (await api.call(contract.device, { deviceId }, { as: ann })).body.health
    const now = api.deps.clock().getTime()
    const name = 'cpu.usage_percent'
    await sendMetrics(token, [name, now - 10 * minute, 95])
    expect(await status()).toMatchObject({ status: 'critical', reasons: [{ metric: name, value: 95, threshold: 90 }] })
    await sendMetrics(token, [name, now - 8 * minute, 10])
    expect((await status()).status).toBe('critical')
    await sendMetrics(token, [name, now - 2 * minute, 10])
    expect(await status()).toEqual({ status: 'healthy', reasons: [] })
    await api.db
      .update(devices)
      .set({ lastSeenAt: new Date(0) })
      .where(eq(devices.id, deviceId))
    expect((await status()).status).toBe('unknown')
  })

  it('decide on its health for a day after their last value, while it reports others', async () => {
    const report = async (...values: [name: string, value: number][]) => {
      const now = api.deps.clock()
      await sendMetrics(token, ...values.map(([name, value]): [string, number, number] => [name, now.getTime(), value]))
      await api.db.update(devices).set({ lastSeenAt: now }).where(eq(devices.id, deviceId))
      const as = { ...ann, ...(await api.session(ann.id)) }
      return (await api.call(contract.device, { deviceId }, { as })).body.health
    }
    const [sensor, memory] = ['cpu.temperature_celsius', 'memory.used_percent']
    expect((await report([sensor, 99], [memory, 10])).status).toBe('critical')
    api.advance(86_400)
    expect((await report([memory, 10])).status).toBe('critical')
    api.advance(1)
    expect(await report([memory, 10])).toEqual({ status: 'healthy', reasons: [] })
    // The sensor is back: what it measured before does not count.
    expect(await report([sensor, 20], [memory, 11])).toEqual({ status: 'healthy', reasons: [] })
    api.advance(60)
    expect(await report([sensor, 80])).toMatchObject({ status: 'warning', reasons: [{ metric: sensor, value: 80 }] })
  })
})

describe('metrics of the fleet', () => {
  const fleet = async (
    query: Parameters<typeof api.call<typeof monitor.projectMetrics>>[2] extends infer O
      ? NonNullable<O extends { query?: infer Q } ? Q : never>
      : never,
  ) => (await api.call(monitor.projectMetrics, { projectId }, { as: ann, query })).body

  it('are percentiles over all devices, from minutes now and from hours later', async () => {
    const from = startOfHour() - 3_600_000
    for (const value of range(1, 21)) {
      const { token: as } = await newDevice()
      await sendMetrics(as, ['load.1m', from + 1000, value], ['load.1m', from + 5 * minute, 10 * value])
    }
    await rollUp(api.db, api.deps.clock())
    const query = { names: 'load.1m', agg: 'avg,min,max,p50,p95', from, to: from + 6 * minute, step_s: 60 }
    const { series } = await fleet(query)
    const values = Object.fromEntries(series.map(({ agg, points }) => [agg, points.map(([, value]) => value)]))
    expect(values.avg).toEqual([10.5, null, null, null, null, 105])
    expect([values.min?.[0], values.max?.[0], values.min?.[5], values.max?.[5]]).toEqual([1, 20, 10, 200])
    expect(Math.abs((values.p50?.[0] ?? 0) - 10)).toBeLessThan(0.3)
    expect(Math.abs((values.p95?.[0] ?? 0) - 19)).toBeLessThan(0.5)

    api.advance(4 * 3600)
    ann = { ...ann, ...(await api.session(ann.id)) }
    await rollUp(api.db, api.deps.clock())
    const hours = await fleet({ ...query, to: from + 2 * 3_600_000, step_s: 3600 })
    const hourly = Object.fromEntries(hours.series.map(({ agg, points }) => [agg, points[0]?.[1]]))
    expect(hourly).toMatchObject({ avg: 57.75, min: 1, max: 200 })
    expect(Math.abs((hourly.p95 ?? 0) - 180)).toBeLessThan(12)
  })

  it('include late values', async () => {
    const from = startOfHour() - 2 * 3_600_000
    const value = async () =>
      (await fleet({ names: 'load.1m', agg: 'avg', from, to: from + minute, step_s: 60 })).series[0]?.points[0]?.[1]
    await sendMetrics(token, ['load.1m', from, 2])
    await rollUp(api.db, api.deps.clock())
    expect(await value()).toBe(2)
    const other = await newDevice()
    await sendMetrics(other.token, ['load.1m', from + 1, 4])
    await rollUp(api.db, api.deps.clock())
    expect(await value()).toBe(3)
  })

  it('have names, with units and kinds', async () => {
    const now = api.deps.clock().getTime()
    await sendMetrics(token, ['load.1m', now, 1], ['system.boot_count', now, 1])
    const { body } = await api.call(monitor.projectMetricNames, { projectId }, { as: ann })
    expect(body.metric_names).toEqual([
      { name: 'load.1m', unit: '%', kind: 'gauge', devices: 1 },
      { name: 'system.boot_count', unit: '%', kind: 'counter', devices: 1 },
    ])
  })

  it('of a device have names with its newest values, also where the rest of the fleet reports others', async () => {
    const other = await newDevice()
    const now = api.deps.clock().getTime()
    await sendMetrics(other.token, ['app.other', now, 1])
    await sendMetrics(token, ['load.1m', now - 60_000, 1], ['load.1m', now, 2], ['app.pumped_total', now, 41])
    const { body } = await api.call(monitor.deviceMetricNames, { deviceId }, { as: ann })
    const at = `${new Date(now).toISOString().slice(0, 19)}+00:00`
    expect(body.metric_names.map(({ at: time, ...rest }) => ({ ...rest, at: `${time.slice(0, 19)}+00:00` }))).toEqual([
      { name: 'app.pumped_total', unit: '%', kind: 'counter', value: 41, at },
      { name: 'load.1m', unit: '%', kind: 'gauge', value: 2, at },
    ])
  })

  it('fall into the same bins in the program and in the database', async () => {
    const values = [0, 1e-10, 1e-9, 0.5, 1, 42.42, 99.9, 1e6, 123_456_789, -3.5]
    const { rows } = await api.db.execute<{ bin: number }>(
      sql`select sketch_bin(value) as bin from unnest(${sql.param(values)}::float8[]) as value`,
    )
    expect(rows.map(({ bin }) => bin)).toEqual(values.map(binOf))
  })
})

describe('the overview', () => {
  it('counts the fleet and lists the devices that need attention', async () => {
    const sick = await newDevice()
    await sendMetrics(sick.token, ['cpu.temperature_celsius', api.deps.clock().getTime(), 91.26])
    const silent = await newDevice()
    await api.db
      .update(devices)
      .set({ lastSeenAt: new Date(0) })
      .where(eq(devices.id, silent.deviceId))
    const { body } = await api.call(monitor.overview, { projectId }, { as: ann })
    expect(body.counts).toEqual({ total: 3, online: 2, late: 0, offline: 1, never_seen: 0, attention: 2, flapping: 0 })
    expect(body.attention.map(({ device_id, kind, text }) => [device_id, kind, text])).toEqual([
      [sick.deviceId, 'critical', 'CPU temperature is 91.3 °C, the limit is 85 °C'],
      [silent.deviceId, 'offline', 'Offline'],
    ])
  })
})

it('retention deletes only what is older than the plan allows', async () => {
  const now = api.deps.clock()
  await sendLogs(line(1))
  await sendMetrics(token, ['load.1m', now.getTime(), 1])
  await applyRetention(api.db, now)
  const count = async (table: string) => {
    const { rows } = await api.db.execute<{ n: number }>(
      sql`select count(*) as n from ${sql.identifier(table)} where device_id = ${deviceId}`,
    )
    return rows[0]?.n
  }
  expect([await count('device_logs'), await count('metric_points')]).toEqual([1, 1])
  api.advance(15 * 86_400)
  await applyRetention(api.db, api.deps.clock())
  expect([await count('device_logs'), await count('metric_points')]).toEqual([1, 0])
  api.advance(16 * 86_400)
  await applyRetention(api.db, api.deps.clock())
  expect(await count('device_logs')).toBe(0)
})
