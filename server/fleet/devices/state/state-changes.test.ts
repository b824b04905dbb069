import { eq, inArray } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventsPerMinute } from '../../../../contract/accounts/events'
import * as wire from '../../../../contract/device/endpoints'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { checkInBody } from '../../../../tests/support/devices'
import { events } from '../../../core/database/schema/events'
import { listEvents } from '../../../core/events/repository'
import { idOfTime } from '../../../core/ids'
import { devices } from '../../schema/devices'
import { deviceStateChanges } from '../../schema/state-changes'
import { maintainCounts } from './counts'
import { issueDeviceToken } from '../device-token.repository'
import { insertDevice } from '../repository'
import { announceStateChanges } from './state-changes'

// Polls of a device, in seconds.
const pollS = 60

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const setUp = async () => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const since = api.deps.clock()
  let made = 0
  const add = async (count: number) => {
    const now = api.deps.clock()
    const facts = { hardwareModel: 'gw', lifecycle: 'active', enrollment: 'single', pollingIntervalS: pollS } as const
    const seen = { firstSeenAt: now, enrolledAt: now, lastSeenAt: now, contact: 'online' as const }
    const ids: string[] = []
    for (let n = 0; n < count; n++)
      ids.push((await insertDevice(api.db, { projectId, name: `Device ${made++}`, ...facts, ...seen }, now)).id)
    return ids
  }
  const contact = (ids: readonly string[]) =>
    api.db
      .update(devices)
      .set({ lastSeenAt: api.deps.clock() })
      .where(inArray(devices.id, [...ids]))
  /** What the jobs do, after so many seconds. */
  const after = async (seconds: number) => {
    api.advance(seconds)
    await maintainCounts(api.deps)
    await announceStateChanges(api.deps)
  }
  const list = async () => (await listEvents(api.db, projectId, idOfTime(since), 1000)).map(({ type, data }) => ({ type, data }))
  const types = async () => (await list()).map(({ type }) => type)
  return { ann, projectId, add, contact, after, list, types }
}

it('a device is announced as late after two missed polls, as offline after three, and as online after two polls', async () => {
  const { add, contact, after, list, types } = await setUp()
  const [id = ''] = await add(1)
  const lastSeen = '2026-06-01T12:00:00+00:00'
  await after(pollS * 1.5 + 61)
  expect(await types()).toEqual([])
  await after(pollS * 0.5)
  const device = { id, name: 'Device 0', serial_number: null }
  expect(await list()).toEqual([{ type: 'device.late', data: { device, before: 'online', last_seen_at: lastSeen } }])
  await after(pollS)
  expect((await list()).at(-1)).toEqual({ type: 'device.offline', data: { device, before: 'late', last_seen_at: lastSeen } })
  api.advance(1)
  await contact([id])
  await after(1)
  expect(await types()).toHaveLength(2)
  await contact([id])
  await after(2 * pollS)
  expect((await types()).at(-1)).toBe('device.online')
  expect(await api.db.select().from(deviceStateChanges).where(eq(deviceStateChanges.deviceId, id))).toEqual([])
})

it('a device that misses one poll, or is not active, is not announced', async () => {
  const { add, contact, after, types } = await setUp()
  const [flapping = '', disabled = ''] = await add(2)
  await api.db.update(devices).set({ lifecycle: 'disabled' }).where(eq(devices.id, disabled))
  for (let n = 0; n < 3; n++) {
    await after(pollS * 1.5 + 61)
    await contact([flapping])
    await after(1)
  }
  await contact([flapping])
  await after(2 * pollS)
  expect(await types()).toEqual([])
  const left = await api.db
    .select()
    .from(deviceStateChanges)
    .where(inArray(deviceStateChanges.deviceId, [flapping, disabled]))
  expect(left).toEqual([])
})

it('beyond a hundred in a minute, devices that go offline are summed into one event', async () => {
  const { add, after, list } = await setUp()
  const extra = 15
  await add(eventsPerMinute + extra)
  await after(pollS * 4 + 61)
  const all = await list()
  expect(all.filter(({ type }) => type === 'device.offline')).toHaveLength(eventsPerMinute)
  const sums = all.filter(({ type }) => type === 'device.offline.many')
  expect(sums).toMatchObject([{ data: { count: extra } }])
  expect(sums[0]?.data).toHaveProperty('sample.length', 10)
  // Further ones of the same minute wait for the next sum.
  await add(2)
  await after(0)
  await api.db
    .update(devices)
    .set({ lastSeenAt: new Date(0) })
    .where(eq(devices.contact, 'online'))
  await after(1)
  expect(await list()).toHaveLength(all.length)
  await after(60)
  expect((await list()).filter(({ type }) => type === 'device.offline')).toHaveLength(eventsPerMinute + 2)
})

it('a change of health is announced once it has lasted for two polls', async () => {
  const { projectId, add, after, contact, list } = await setUp()
  const [id = ''] = await add(1)
  const token = await issueDeviceToken(api.db, { projectId, deviceId: id }, api.deps.clock())
  const report = async (value: number) => {
    const point = { name: 'cpu.temperature_celsius', ts_ms: api.deps.clock().getTime(), value }
    const reply = await api.call(wire.metrics, {}, { as: token, body: { points: [point] } })
    expect(reply.status, reply.text).toBe(202)
  }
  await report(20)
  await contact([id])
  await after(2 * pollS)
  await contact([id])
  await report(99)
  await after(pollS)
  await contact([id])
  expect((await list()).map(({ data }) => data)).toMatchObject([{ before: 'unknown', health: 'healthy' }])
  await after(pollS)
  expect((await list()).at(-1)).toMatchObject({ type: 'device.health_changed', data: { before: 'healthy', health: 'critical' } })
})

it('a check-in without news writes no change to announce', async () => {
  const { projectId, add } = await setUp()
  const [id = ''] = await add(1)
  const token = await issueDeviceToken(api.db, { projectId, deviceId: id }, api.deps.clock())
  for (let n = 0; n < 2; n++) expect((await api.call(wire.checkIn, {}, { as: token, body: checkInBody() })).status).toBe(200)
  expect(await api.db.select().from(deviceStateChanges).where(eq(deviceStateChanges.deviceId, id))).toEqual([])
  expect(await api.db.select().from(events).where(eq(events.projectId, projectId))).toEqual([])
})
