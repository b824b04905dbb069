import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as wire from '../../../../contract/device/endpoints'
import { overview } from '../../../../contract/overview/monitor'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { devices } from '../../schema/devices'
import { maintainCounts } from './counts'
import { issueDeviceToken } from '../device-token.repository'
import { insertDevice } from '../repository'

const pollS = 60

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const setUp = async () => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const now = api.deps.clock()
  const facts = { hardwareModel: 'gw', lifecycle: 'active', enrollment: 'single', pollingIntervalS: pollS } as const
  const seen = { firstSeenAt: now, enrolledAt: now, lastSeenAt: now, contact: 'online' as const }
  const { id } = await insertDevice(api.db, { projectId, name: 'gateway', ...facts, ...seen }, now)
  const contact = () => api.db.update(devices).set({ lastSeenAt: api.deps.clock() }).where(eq(devices.id, id))
  /** The device is away for a time, and comes back. */
  const leave = async (seconds: number) => {
    api.advance(seconds)
    await maintainCounts(api.deps)
    await contact()
    await maintainCounts(api.deps)
  }
  const list = async () => {
    const as = { ...ann, ...(await api.session(ann.id)) }
    return (await api.call(overview, { projectId }, { as })).body.flapping
  }
  return { projectId, id, leave, list }
}

it('a device that came back four times in six hours flaps, and no longer once the first time is longer ago', async () => {
  const { id, leave, list } = await setUp()
  for (let n = 0; n < 3; n++) await leave(900)
  expect(await list()).toEqual([])
  await leave(900)
  expect(await list()).toMatchObject([{ device_id: id, device_name: 'gateway', kind: 'connectivity', times: 4 }])
  await leave(900)
  expect((await list()).map(({ times }) => times)).toEqual([5])
  // Of the five, three are in the last six hours, and a return is added to them.
  await leave(5.4 * 3600)
  expect((await list()).map(({ times }) => times)).toEqual([4])
  await leave(5.9 * 3600)
  expect(await list()).toEqual([])
})

it('a device that polls as it should does not flap', async () => {
  const { leave, list } = await setUp()
  for (let n = 0; n < 8; n++) await leave(pollS)
  expect(await list()).toEqual([])
})

it('a device whose value passes its limit again and again flaps by its health', async () => {
  const { projectId, id, list } = await setUp()
  const token = await issueDeviceToken(api.db, { projectId, deviceId: id }, api.deps.clock())
  const report = async (value: number) => {
    api.advance(301)
    const point = { name: 'cpu.temperature_celsius', ts_ms: api.deps.clock().getTime(), value }
    expect((await api.call(wire.metrics, {}, { as: token, body: { points: [point] } })).status).toBe(202)
  }
  for (let n = 0; n < 4; n++) {
    expect(await list()).toEqual([])
    await report(99)
    // A level falls once the value has stayed below it for 300 seconds.
    await report(20)
    await report(20)
  }
  expect(await list()).toMatchObject([{ device_id: id, kind: 'health', times: 4 }])
})
