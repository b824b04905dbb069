import { afterAll, beforeAll, expect, it } from 'vitest'
import * as wire from '../../../contract/device/endpoints'
import { device } from '../../../contract/fleet/devices'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { checkInBody } from '../../../tests/support/devices'
import { newDevice } from '../../../tests/support/new-device'
import type { Person } from '../../../tests/support/people'
import { listEvents } from '../../core/events/repository'
import { idOfTime } from '../../core/ids'
import { maintainCounts } from '../devices/state/counts'
import { announceStateChanges } from '../devices/state/state-changes'
import { forgetStaleHealth } from './stale-health.repository'

const hourS = 3600
let api: TestApi
let ann: Person
let projectId: string
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const setUp = async () => {
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  return newDevice(api, projectId)
}
const checkIn = async (as: string) => expect((await api.call(wire.checkIn, {}, { as, body: checkInBody() })).status).toBe(200)
const report = async (as: string, name: string, value: number) => {
  const points = [{ name, ts_ms: api.deps.clock().getTime(), value }]
  expect((await api.call(wire.metrics, {}, { as, body: { points } })).status).toBe(202)
}
const runJobs = async () => {
  await maintainCounts(api.deps)
  const changed = await forgetStaleHealth(api.db, api.deps.clock(), 500)
  await announceStateChanges(api.deps)
  return changed
}
const later = async (seconds: number) => {
  api.advance(seconds)
  ann = { ...ann, ...(await api.session(ann.id)) }
}
const health = async (deviceId: string) => (await api.call(device, { deviceId }, { as: ann })).body.health

it('the health of a device that checks in but reports no metric for a day is unknown, and that is announced', async () => {
  const { id, token } = await setUp()
  await checkIn(token)
  await report(token, 'storage.used_percent', 95)
  const since = api.deps.clock()
  await later(24 * hourS)
  await checkIn(token)
  expect(await runJobs()).toBe(0)
  expect((await health(id)).status).toBe('critical')
  // Late, so that its contact is written at once.
  await later(2 * hourS)
  await checkIn(token)
  expect(await runJobs()).toBe(1)
  expect(await health(id)).toEqual({ status: 'unknown', reasons: [] })
  expect(await runJobs()).toBe(0)
  await later(2 * hourS)
  await runJobs()
  expect((await listEvents(api.db, projectId, idOfTime(since), 10)).map(({ type, data }) => ({ type, data }))).toContainEqual({
    type: 'device.health_changed',
    data: { device: { id, name: id, serial_number: null }, before: 'critical', health: 'unknown' },
  })
  await report(token, 'storage.used_percent', 10)
  expect((await health(id)).status).toBe('healthy')
})

it('a device that was silent keeps its health: nothing says that its metrics have stopped', async () => {
  const { token } = await setUp()
  await checkIn(token)
  await report(token, 'storage.used_percent', 95)
  await later(1.5 * hourS)
  expect(await runJobs()).toBe(0)
  await later(30 * hourS)
  expect(await runJobs()).toBe(0)
})
