import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import * as wire from '../../../contract/device/endpoints'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { newDevice } from '../../../tests/support/new-device'
import { devices, deviceTokens } from '../schema/devices'
import { initialMetricState } from './health'
import { insertMetrics, type NewMetrics } from './metrics.repository'

let api: TestApi
let projectId: string

beforeAll(async () => {
  api = await createTestApi()
})
afterAll(() => api.close())
beforeEach(async () => {
  projectId = await api.project({ ownerId: (await api.person()).id })
})

const newDevices = (count: number) => Promise.all(Array.from({ length: count }, () => newDevice(api, projectId)))

const send = (token: string, ...points: [name: string, ts_ms: number, value: number][]) =>
  api.call(
    wire.metrics,
    {},
    { as: token, body: { points: points.map(([name, ts_ms, value]) => ({ name, ts_ms, value, unit: '1' })) } },
  )
const storedOf = async (id: string) =>
  (await api.db.execute<{ value: number }>(sql`select value from metric_points where device_id = ${id} order by at`)).rows.map(
    ({ value }) => value,
  )

/** The statements that store metrics while the work runs. */
const countStores = async (work: () => Promise<unknown>) => {
  let stores = 0
  const count = (client: { query: (...of: unknown[]) => unknown }) => {
    const query = client.query.bind(client)
    client.query = (...of: unknown[]) => {
      if ((of[0] as { name?: string } | undefined)?.name?.startsWith('store_metrics')) stores++
      return query(...of)
    }
    return () => void (client.query = query)
  }
  const undo = count(api.deps.pool as never)
  await work().finally(undo)
  return stores
}

it('batches of several devices at the same time are stored by fewer statements, each with its own values', async () => {
  const now = api.deps.clock().getTime()
  const fleet = await newDevices(20)
  const stores = await countStores(async () => {
    const replies = await Promise.all(
      fleet.map(({ token }, n) => send(token, ['load.1m', now, n], ['load.5m', now + 1, 100 + n])),
    )
    for (const { body } of replies) expect(body).toEqual({ accepted: 2, dropped: 0, reasons: {} })
  })
  expect(stores).toBeGreaterThan(0)
  expect(stores).toBeLessThan(fleet.length)
  for (const [n, { id }] of fleet.entries()) expect(await storedOf(id)).toEqual([n, 100 + n])
})

it.each([true, false])(
  'a statement for several devices of which one has changed stores nothing (new points: %s)',
  async (areNew) => {
    const now = api.deps.clock().getTime()
    const [one, other] = await newDevices(2)
    const batchOf = (deviceId: string): NewMetrics => {
      const owner = { projectId, deviceId }
      const latest = [{ ...initialMetricState, name: 'load.1m', unit: '1', at: now, value: 1 }]
      return { owner, points: [{ name: 'load.1m', unit: '1', tsMs: now, value: 1 }], areNew, latest, before: null }
    }
    await insertMetrics(api.db, [batchOf(other?.id ?? '')])
    const both = [batchOf(one?.id ?? ''), batchOf(other?.id ?? '')]
    await expect(insertMetrics(api.db, both)).rejects.toMatchObject({ cause: { code: '40001' } })
    expect(await storedOf(one?.id ?? '')).toEqual([])
  },
)

it('a known point that is newer than the newest values makes no batch fail', async () => {
  const now = api.deps.clock().getTime()
  const fleet = await newDevices(12)
  for (const id of fleet.slice(0, 6).map((device) => device.id))
    await api.db.execute(sql`
      insert into metric_points (project_id, device_id, name, at, value)
      values (${projectId}, ${id}, 'load.1m', ${new Date(now).toISOString()}, 7)`)
  const replies = await Promise.all(fleet.map(({ token }) => send(token, ['load.1m', now, 1], ['load.5m', now, 2])))
  expect(replies.map(({ status }) => status)).toEqual(fleet.map(() => 202))
  for (const [n, { id }] of fleet.entries()) expect((await storedOf(id)).toSorted()).toEqual(n < 6 ? [2, 7] : [1, 2])
})

it('a device that is deleted while its batch waits does not make those of others fail', async () => {
  const now = api.deps.clock().getTime()
  const fleet = await newDevices(12)
  const gone = fleet[5]?.id ?? ''
  const replies = await Promise.all([
    ...fleet.map(({ token }) => send(token, ['load.1m', now, 1])),
    api.db
      .delete(devices)
      .where(eq(devices.id, gone))
      .then(() => null),
  ])
  for (const [n, { id }] of fleet.entries()) {
    if (id === gone) continue
    expect(replies[n]?.status).toBe(202)
    expect(await storedOf(id)).toEqual([1])
  }
})

it('a counter in concurrent batches of one device is counted once, whatever else is stored with it', async () => {
  const now = api.deps.clock().getTime()
  const [counting, ...others] = await newDevices(9)
  const name = 'net.eth0.rx_bytes_total'
  const token = counting?.token ?? ''
  await send(token, [name, now - 60_000, 0])
  const replies = await Promise.all([
    ...[1, 2, 3, 4].map((n) => send(token, [name, now - 60_000 + n * 1000, n * 100])),
    ...others.map(({ token: as }) => send(as, ['load.1m', now, 1])),
  ])
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 202))
  // Batches that come after a later one add nothing; the increases of the others add up to the last value.
  const increases = await storedOf(counting?.id ?? '')
  expect(increases.reduce((sum, value) => sum + value, 0)).toBe(400)
  for (const { id } of others) expect(await storedOf(id)).toEqual([1])
})

it('T-18: a revoked token is refused at its next request, also among those of other devices', async () => {
  const now = api.deps.clock().getTime()
  const fleet = await newDevices(10)
  const revoked = fleet[4]
  await Promise.all(fleet.map(({ token }) => send(token, ['load.1m', now, 1])))
  await api.db.delete(deviceTokens).where(eq(deviceTokens.deviceId, revoked?.id ?? ''))
  const replies = await Promise.all(fleet.map(({ token }) => send(token, ['load.1m', now + 1, 2])))
  expect(replies.map(({ status }) => status)).toEqual(fleet.map((device) => (device === revoked ? 401 : 202)))
  expect(await storedOf(revoked?.id ?? '')).toEqual([1])
})
