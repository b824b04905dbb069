import { afterAll, beforeAll, expect, it } from 'vitest'
import * as access from '../../contract/fleet/enrollment-tokens'
import * as commands from '../../contract/fleet/device-commands'
import * as wire from '../../contract/device/endpoints'
import * as contract from '../../contract/fleet/devices'
import { updateProject } from '../../contract/accounts/project-changes'
import { project as projectOf } from '../../contract/accounts/projects'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { checkInBody, deviceKey, enrollBody, enrollmentProofBody } from '../../tests/support/devices'
import type { Person } from '../../tests/support/people'
import { maintainCounts } from '../fleet/devices/state/counts'

let api: TestApi
let ann: Person
let projectId: string
beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
})
afterAll(() => api.close())

let count = 0
const preEnrolled = async () => {
  const body = { name: `gw-${(count += 1)}`, hardware_model: 'gw-imx8m' }
  return (await api.call(contract.createDevice, { projectId }, { as: ann, body })).body
}
const polled = async (as: string, polling_interval_s?: number) => {
  const body = checkInBody({ ...(polling_interval_s !== undefined && { polling_interval_s }) })
  const answer = await api.call(wire.checkIn, {}, { as, body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.polling_interval_s
}
const shown = async (deviceId: string) => (await api.call(contract.device, { deviceId }, { as: ann })).body
const decide = async (deviceId: string, polling_interval_s: number | null) => {
  const { revision } = await shown(deviceId)
  const headers = { 'if-match': `"${revision}"` }
  const done = await api.call(contract.updateDevice, { deviceId }, { as: ann, headers, body: { polling_interval_s } })
  expect(done.status, done.text).toBe(200)
}

it('gives a pre-enrolled device the polling interval of its own configuration from its first check-in on', async () => {
  const { id, device_token } = await preEnrolled()
  expect(await polled(device_token, 30)).toBe(30)
  expect(await shown(id)).toMatchObject({ polling_interval_s: 30, configured_polling_interval_s: 30 })
})

it('lets a device whose configuration has the interval of the project follow the project', async () => {
  const { id, device_token } = await preEnrolled()
  expect(await polled(device_token, 3600)).toBe(3600)
  expect(await shown(id)).toMatchObject({ polling_interval_s: null, configured_polling_interval_s: 3600 })
})

it('keeps an interval set in the console until the configuration file changes', async () => {
  const { id, device_token } = await preEnrolled()
  await polled(device_token, 30)
  await decide(id, 600)
  expect(await polled(device_token, 30)).toBe(600)
  expect(await polled(device_token, 60)).toBe(60)
  await decide(id, null)
  expect(await polled(device_token, 60)).toBe(3600)
})

it('keeps an interval set in the console before the first check-in', async () => {
  const { id, device_token } = await preEnrolled()
  await decide(id, 600)
  expect(await polled(device_token, 30)).toBe(600)
})

it('only records the interval of a device enrolled before clients reported it', async () => {
  const { id, device_token } = await preEnrolled()
  expect(await polled(device_token)).toBe(3600)
  expect(await polled(device_token, 30)).toBe(3600)
  expect(await shown(id)).toMatchObject({ polling_interval_s: null, configured_polling_interval_s: 30 })
})

it('follows a changed configuration when a device enrolls again', async () => {
  const { token: as } = (await api.call(access.createEnrollmentToken, { projectId }, { as: ann, body: { name: 'Line' } })).body
  const key = await deviceKey()
  const enroll = async (polling_interval_s: number, ms: number) => {
    const body = enrollBody({ ...(await enrollmentProofBody(key, 'AGAIN', ms)), polling_interval_s })
    return (await api.call(wire.enroll, {}, { as, body })).body.polling_interval_s
  }
  expect(await enroll(30, 1000)).toBe(30)
  expect(await enroll(120, 2000)).toBe(120)
})

it('returns for a command when the device is expected to fetch it, by its current interval', async () => {
  const { id: deviceId, device_token } = await preEnrolled()
  const send = async () =>
    (await api.call(commands.sendCommand, { deviceId }, { as: ann, body: { command: 'check_now' } })).body.expected_at
  expect(await send()).toBe(null)
  await polled(device_token, 100)
  const expected = new Date((await send()) ?? 0).getTime() - api.deps.clock().getTime()
  // The client spreads its polls by a twentieth; JSON has whole seconds.
  expect(expected).toBeGreaterThan(103_000)
  expect(expected).toBeLessThanOrEqual(105_000)
})

const changeProject = async (polling_interval_s: number) => {
  const { revision } = (await api.call(projectOf, { projectId }, { as: ann })).body
  const headers = { 'if-match': `"${revision}"` }
  const done = await api.call(updateProject, { projectId }, { as: ann, headers, body: { settings: { polling_interval_s } } })
  expect(done.status, done.text).toBe(200)
}
const later = async (seconds: number) => {
  api.advance(seconds)
  ann = { ...ann, ...(await api.session(ann.id)) }
}
/** How the page of the device, the list, and the counts of the project show one device among those of its project. */
const connectivities = async (deviceId: string) => {
  const online = (await api.call(contract.devices, { projectId }, { as: ann, query: { connectivity: 'online' } })).body.devices
  const counted = (await api.call(projectOf, { projectId }, { as: ann })).body.counts.devices_online
  return [(await shown(deviceId)).connectivity, online.some(({ id }) => id === deviceId), counted === online.length]
}

it('a device stays online by its former interval until it has learned a shorter one', async () => {
  const { id, device_token } = await preEnrolled()
  expect(await polled(device_token)).toBe(3600)
  await later(600)
  await decide(id, 30)
  expect((await shown(id)).polling_interval_s).toBe(30)
  expect(await connectivities(id)).toEqual(['online', true, true])
  await later(2400)
  expect(await connectivities(id)).toEqual(['online', true, true])
  expect(await polled(device_token)).toBe(30)
  await later(120)
  expect((await shown(id)).connectivity).toBe('late')
  // A longer interval, and a device that was never seen, wait for nothing.
  await decide(id, 7200)
  expect((await shown(id)).connectivity).toBe('online')
  await decide(id, 60)
  await decide(id, null)
  expect((await shown(id)).polling_interval_s).toBe(null)
  expect(await polled(device_token)).toBe(3600)
})

it('devices stay online by the former interval of their project until they can have learned a shorter one', async () => {
  projectId = await api.project({ ownerId: ann.id }, 'Slow')
  const { id, device_token } = await preEnrolled()
  expect(await polled(device_token)).toBe(3600)
  await later(600)
  await changeProject(600)
  await changeProject(60)
  expect(await connectivities(id)).toEqual(['online', true, true])
  await later(2400)
  await maintainCounts(api.deps)
  expect(await connectivities(id)).toEqual(['online', true, true])
  expect(await polled(device_token)).toBe(60)
  await later(3 * 3600)
  expect(await polled(device_token)).toBe(60)
  await later(181)
  await maintainCounts(api.deps)
  expect((await shown(id)).connectivity).toBe('late')
  await changeProject(3600)
  expect(await connectivities(id)).toEqual(['online', true, true])
})
