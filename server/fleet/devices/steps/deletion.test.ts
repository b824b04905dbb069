import { afterAll, beforeAll, expect, it } from 'vitest'
import * as access from '../../../../contract/fleet/enrollment-tokens'
import * as wire from '../../../../contract/device/endpoints'
import * as lifecycle from '../../../../contract/fleet/device-lifecycle'
import * as contract from '../../../../contract/fleet/devices'
import type { QueryOf } from '../../../../contract/core/endpoint'
import { planLimits } from '../../../../contract/accounts/plan-limits'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { checkInBody, enrollBody } from '../../../../tests/support/devices'
import type { Person } from '../../../../tests/support/people'
import { type DeviceRow, insertDevice, type NewDeviceRow } from '../repository'

let api: TestApi
let ann: Person
let projectId: string

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
})
afterAll(() => api.close())

const later = async (days: number) => {
  api.advance(days * 86_400)
  ann = { ...ann, ...(await api.session(ann.id)) }
}
const add = async (body: { name: string; serial_number?: string }) => {
  const made = await api.call(contract.createDevice, { projectId }, { as: ann, body: { ...body, hardware_model: 'gw' } })
  expect(made.status, made.text).toBe(201)
  return made.body
}
const remove = async ({ id: deviceId }: { id: string }) => {
  const { revision } = (await api.call(contract.device, { deviceId }, { as: ann })).body
  const headers = { 'if-match': `"${revision}"` }
  const gone = await api.call(lifecycle.deleteDevice, { deviceId }, { as: ann, headers })
  expect(gone.status, gone.text).toBe(204)
}
const restore = ({ id: deviceId }: { id: string }) => api.call(lifecycle.restoreDevice, { deviceId }, { as: ann })
const listed = async (query: QueryOf<typeof contract.devices>) =>
  (await api.call(contract.devices, { projectId }, { as: ann, query })).body.devices.map(({ name }) => name)
const checkIn = async (as: string) => (await api.call(wire.checkIn, {}, { as, body: checkInBody() })).status

it('lists deleted devices apart, the last deleted first, until they can no longer be restored', async () => {
  const [first, second] = [await add({ name: 'old-1' }), await add({ name: 'old-2' })]
  await add({ name: 'kept' })
  await remove(first)
  await later(1)
  await remove(second)
  expect(await listed({})).toEqual(['kept'])
  const deleted = { deleted: 'true', sort: '-deleted_at' } as const
  expect(await listed(deleted)).toEqual(['old-2', 'old-1'])
  await later(29)
  expect(await listed(deleted)).toEqual(['old-2', 'old-1'])
  expect((await restore(first)).body).toMatchObject({ name: 'old-1', lifecycle: 'active', deleted_at: null })
  await later(1)
  expect(await listed(deleted)).toEqual(['old-2'])
  await later(0.5)
  expect(await listed(deleted)).toEqual([])
  expect((await restore(second)).status).toBe(404)
})

it('the token of a deleted device is refused, and is valid again once the device is restored', async () => {
  const device = await add({ name: 'gw-1' })
  expect(await checkIn(device.device_token)).toBe(200)
  await remove(device)
  expect(await checkIn(device.device_token)).toBe(401)
  await restore(device)
  expect(await checkIn(device.device_token)).toBe(200)
})

it('is restored once; a second call, such as one after a lost answer, says that it is not deleted', async () => {
  const device = await add({ name: 'gw-once' })
  await remove(device)
  expect((await restore(device)).status).toBe(200)
  const again = await restore(device)
  expect([again.status, again.error.message]).toEqual([409, 'The device gw-once is not deleted'])
})

it('is not restored while another device has its serial number or its name, and says which', async () => {
  const device = await add({ name: 'gw-2', serial_number: 'SN-2' })
  await remove(device)
  const { body: group } = await api.call(access.createEnrollmentToken, { projectId }, { as: ann, body: { name: 'Line 1' } })
  const facts = enrollBody({ serial_number: 'SN-2', name: 'gw-again' })
  const again = await api.call(wire.enroll, {}, { as: group.token, body: facts })
  expect(again.status, again.text).toBe(201)
  const held = await restore(device)
  expect([held.status, held.error.message]).toEqual([
    409,
    'The device gw-again has the serial number SN-2 now. Delete it to restore this one',
  ])
  await remove({ id: again.body.device_id })
  const namesake = await add({ name: 'GW-2' })
  const named = await restore(device)
  expect([named.status, named.error.message]).toEqual([409, 'Another device is named gw-2 now. Rename it to restore this one'])
  await remove(namesake)
  expect((await restore(device)).status).toBe(200)
})

it('a full plan refuses to restore a device only if the restored device counts for it', async () => {
  const owner = await api.person({ plan: 'developer' })
  const full = await api.project({ ownerId: owner.id })
  const now = api.deps.clock()
  const insert = (name: string, facts: Pick<NewDeviceRow, 'lifecycle' | 'deletedAt'>) =>
    insertDevice(api.db, { projectId: full, name, hardwareModel: 'gw', enrollment: 'single', ...facts }, now)
  for (let n = 0; n < planLimits.developer.devices_per_project; n++) await insert(`in-use-${n}`, { lifecycle: 'active' })
  const statusOf = async (state: DeviceRow['lifecycle'], deletedAt: Date | null) => {
    const { id: deviceId } = await insert(`${state}-${deletedAt ? 'deleted' : 'kept'}`, { lifecycle: state, deletedAt })
    return (await api.call(lifecycle.restoreDevice, { deviceId }, { as: owner })).status
  }
  expect([await statusOf('decommissioned', now), await statusOf('rejected', now)]).toEqual([200, 200])
  expect([await statusOf('active', now), await statusOf('rejected', null)]).toEqual([402, 402])
})
