import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createClient } from '../../core/database/clients'
import * as wire from '../../../contract/device/endpoints'
import { deleteDevice, restoreDevice } from '../../../contract/fleet/device-lifecycle'
import { device } from '../../../contract/fleet/devices'
import { deviceMetricNames, projectMetricNames } from '../../../contract/overview/monitor'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { newDevice } from '../../../tests/support/new-device'
import type { Person } from '../../../tests/support/people'
import { untilOneWaits } from '../../../tests/support/locks'
import { findWrongCounts } from '../devices/state/counts.repository'
import { findMeasuredDevice, insertMetricsWithHealth, toLatestMetrics } from './metrics.repository'

let api: TestApi
let ann: Person
let projectId: string
let deviceId: string
let token: string

beforeAll(async () => {
  api = await createTestApi()
})
afterAll(() => api.close())
beforeEach(async () => {
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  ;({ id: deviceId, token } = await newDevice(api, projectId))
})

const now = () => api.deps.clock().getTime()
type Sent = { name: string; ts_ms: number; value: number; unit?: string }
const send = async (...points: Sent[]) => {
  const { status } = await api.call(wire.metrics, {}, { as: token, body: { points } })
  expect(status).toBe(202)
}
const valuesOfDevice = async () =>
  (await api.call(deviceMetricNames, { deviceId }, { as: ann })).body.metric_names.map(
    ({ name, unit, value }) => [name, unit, value] as const,
  )

it('a later batch adds metrics and changes units; one without a unit keeps it', async () => {
  const start = now() - 60_000
  await send({ name: 'load.1m', ts_ms: start, value: 1, unit: '%' })
  await send(
    { name: 'memory.used', ts_ms: start + 1, value: 2, unit: 'B' },
    { name: 'load.1m', ts_ms: start + 1, value: 3, unit: '1' },
  )
  await send({ name: 'load.1m', ts_ms: start + 2, value: 4 })
  // Older than the newest: it is stored, and is not the newest.
  await send({ name: 'memory.used', ts_ms: start, value: 9, unit: 'MB' })
  expect(await valuesOfDevice()).toEqual([
    ['load.1m', '1', 4],
    ['memory.used', 'B', 2],
  ])
  const { body } = await api.call(projectMetricNames, { projectId }, { as: ann })
  expect(body.metric_names.map(({ name, unit, devices }) => [name, unit, devices])).toEqual([
    ['load.1m', '1', 1],
    ['memory.used', 'B', 1],
  ])
})

it('the metrics of a deleted device are not counted until it is restored, nor when it is purged', async () => {
  await send({ name: 'load.1m', ts_ms: now() - 1, value: 1 })
  const counted = async () => {
    const { body } = await api.call(projectMetricNames, { projectId }, { as: ann })
    return body.metric_names.map(({ name, devices }) => [name, devices])
  }
  const other = await newDevice(api, projectId)
  const points = [{ name: 'load.1m', ts_ms: now() - 1, value: 1 }]
  expect((await api.call(wire.metrics, {}, { as: other.token, body: { points } })).status).toBe(202)
  expect(await counted()).toEqual([['load.1m', 2]])
  const headers = { 'if-match': `"${(await api.call(device, { deviceId }, { as: ann })).body.revision}"` }
  expect((await api.call(deleteDevice, { deviceId }, { as: ann, headers })).status).toBe(204)
  expect(await counted()).toEqual([['load.1m', 1]])
  expect((await api.call(restoreDevice, { deviceId }, { as: ann })).status).toBe(200)
  expect(await counted()).toEqual([['load.1m', 2]])
  for (const id of [deviceId, other.id]) {
    await api.ownerDb.execute(sql`update devices set deleted_at = now() where id = ${id}`)
    await api.ownerDb.execute(sql`delete from devices where id = ${id}`)
  }
  expect(await counted()).toEqual([])
  expect(await findWrongCounts(api.db)).toEqual([])
})

it('a metric with the name of something that each object has gets no unit and no threshold', async () => {
  await send({ name: 'constructor', ts_ms: now() - 2, value: 1 })
  const columns = { ts_ms: [now() - 1], series: { constructor: [2] }, units: { other: 'x' } }
  expect((await api.call(wire.metrics, {}, { as: token, body: columns })).status).toBe(202)
  expect(await valuesOfDevice()).toEqual([['constructor', null, 2]])
  expect((await findMeasuredDevice(api.db, deviceId)).healthStatus).toBe('unknown')
})

it('a batch that changes the health waits for the row of its device before it locks that of the newest values', async () => {
  await send({ name: 'load.1m', ts_ms: now() - 1, value: 1 })
  // As a check-in that reports the battery does it.
  const checkIn = createClient({ connectionString: api.config.databaseUrl })
  await checkIn.connect()
  try {
    await checkIn.query('begin')
    await checkIn.query('select from devices where id = $1 for no key update', [deviceId])
    const { latest: before } = await findMeasuredDevice(api.db, deviceId)
    const latest = toLatestMetrics(before).map((one) => ({ ...one, at: now(), value: 2 }))
    const batch = { owner: { projectId, deviceId }, points: [], areNew: true, latest, before }
    const health = {
      healthStatus: 'warning' as const,
      healthReasons: [],
      was: 'unknown' as const,
      now: api.deps.clock(),
      pollS: 60,
    }
    const stored = insertMetricsWithHealth(api.db, batch, health)
    await untilOneWaits(api.ownerDb)
    await checkIn.query('select from latest_metrics where device_id = $1 for update nowait', [deviceId])
    await checkIn.query('commit')
    await stored
  } finally {
    await checkIn.end()
  }
  expect(await valuesOfDevice()).toEqual([['load.1m', null, 2]])
})
