import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateSigningKey } from '../../../contract/device/private-key'
import { pemOf } from '../../../contract/device/public-key'
import { classes } from '../../../agent/simulate/classes'
import { revokeEnrollmentToken, enrollmentTokens } from '../../../contract/fleet/enrollment-tokens'
import { projectAuditLog } from '../../../contract/accounts/audit'
import { decommissionDevice, deleteDevice, restoreDevice } from '../../../contract/fleet/device-lifecycle'
import { createDevice, type Device, device, devices as listDevices } from '../../../contract/fleet/devices'
import { createSigningKey } from '../../../contract/fleet/keys'
import { deleteProject, updateProject } from '../../../contract/accounts/project-changes'
import { project } from '../../../contract/accounts/projects'
import { addSimulatedDevices, simulatedDevices } from '../../../contract/fleet/simulated-devices'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { freePort } from '../../../tests/support/free-port'
import type { Person } from '../../../tests/support/people'
import { fleetClasses } from './classes'
import { runSimulatedFleets } from './run'
import { within } from '../../../tests/support/machine-load'

let api: TestApi
let ann: Person
let stop: () => Promise<void> = async () => {}
beforeAll(async () => {
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  await api.app.listen({ port, host: '127.0.0.1' })
  ann = await api.person({ plan: 'production' })
})
afterAll(async () => {
  await stop()
  await api.close()
})

const patience = { timeout: within(150_000), interval: 250 }
const add = (projectId: string) => api.call(addSimulatedDevices, { projectId }, { as: ann })
const read = async (projectId: string) => (await api.call(simulatedDevices, { projectId }, { as: ann })).body
const list = async (projectId: string): Promise<Device[]> =>
  (await api.call(listDevices, { projectId }, { as: ann, query: { limit: 200 } })).body.devices
/** Devices report while they are changed: a change that lost against a report is made again. */
const change = async (endpoint: typeof deleteDevice | typeof decommissionDevice, { id }: Device) => {
  await expect
    .poll(async () => {
      const { revision } = (await api.call(device, { deviceId: id }, { as: ann })).body
      const headers = { 'if-match': `"${revision}"` }
      return (await api.call(endpoint, { deviceId: id }, { as: ann, headers })).status
    }, patience)
    .toBeLessThan(300)
}
const tokens = async (projectId: string) => (await api.call(enrollmentTokens, { projectId }, { as: ann })).body.enrollment_tokens
const directory = (projectId: string) => join(api.config.dataDirectory, 'simulated', projectId)

it('the classes of the fleet are those of the simulator, with their hardware models', () => {
  expect(fleetClasses).toEqual(Object.fromEntries(classes.map(({ id, model }) => [id, model])))
})

it('two presses at once add one fleet, with one audit entry', async () => {
  const projectId = await api.project({ ownerId: ann.id }, 'Twice')
  expect(await read(projectId)).toEqual({ devices: 0, added: 0, online: 0, waiting: 0, starting: false })
  const answers = await Promise.all([add(projectId), add(projectId)])
  const started = { devices: 20, added: 0, online: 0, waiting: 0, starting: true }
  expect(answers.map(({ body }) => body)).toEqual([started, started])
  expect((await tokens(projectId)).map(({ name, max_uses, default_tags }) => [name, max_uses, default_tags])).toEqual([
    ['Simulated devices', 20, ['simulated']],
  ])
  const { body } = await api.call(projectAuditLog, { projectId }, { as: ann })
  expect(body.entries.filter(({ action }) => action === 'device.simulate').map(({ changes }) => changes)).toEqual([
    [{ field: 'devices', before: 0, after: 20 }],
  ])
})

it('a fleet whose token was revoked before a device enrolled is replaced by the next press', async () => {
  const projectId = await api.project({ ownerId: ann.id }, 'Revoked')
  await add(projectId)
  const [token] = await tokens(projectId)
  await api.call(revokeEnrollmentToken, { enrollmentTokenId: token?.id ?? '' }, { as: ann })
  expect((await read(projectId)).devices).toBe(0)
  await add(projectId)
  expect((await tokens(projectId)).map(({ state }) => state).toSorted()).toEqual(['active', 'revoked'])
})

it('a plan without space for 20 devices refuses them all, and a project without their hardware models too', async () => {
  const ben = await api.person({ plan: 'developer' })
  const projectId = await api.project({ ownerId: ben.id })
  for (let n = 0; n < 6; n++)
    await api.call(createDevice, { projectId }, { as: ben, body: { name: `desk-${n}`, hardware_model: 'gw' } })
  const full = await api.call(addSimulatedDevices, { projectId }, { as: ben })
  expect([full.status, full.error.code, existsSync(directory(projectId))]).toEqual([402, 'plan_limit', false])
  const other = await api.project({ ownerId: ann.id }, 'Other')
  const settings = { hardware_models: [{ id: 'gw', name: 'Gateway', platform: 'linux', slots: 'ab' as const }] }
  const changed = await api.call(
    updateProject,
    { projectId: other },
    { as: ann, body: { settings }, headers: { 'if-match': '"1"' } },
  )
  expect(changed.status, changed.text).toBe(200)
  const refused = await add(other)
  expect([refused.status, refused.error.code]).toEqual([409, 'no_simulated_model'])
})

it('an installation that others can reach has no simulated devices', async () => {
  const served = await createTestApi({ TEASEL_BIND: '0.0.0.0' })
  const owner = await served.person()
  const projectId = await served.project({ ownerId: owner.id })
  const statuses = [
    await served.call(simulatedDevices, { projectId }, { as: owner }),
    await served.call(addSimulatedDevices, { projectId }, { as: owner }),
  ].map(({ status }) => status)
  await served.close()
  expect(statuses).toEqual([404, 404])
})

it(
  'the fleet enrolls, follows the keys of the project, goes on after a restart and ends with its devices or the project',
  { timeout: within(600_000) },
  async () => {
    const projectId = await api.project({ ownerId: ann.id }, 'Fleet')
    await add(projectId)
    stop = runSimulatedFleets(api.deps)
    const all = { devices: 20, added: 20, online: 20, waiting: 0, starting: false }
    await expect.poll(() => read(projectId), patience).toEqual(all)
    const before = await list(projectId)
    expect(new Set(before.flatMap(({ tags }) => tags.map(({ name }) => name)))).toEqual(new Set(['simulated']))

    const key = await generateSigningKey('ed25519')
    const body = { name: 'Releases', algorithm: 'ed25519', public_key_pem: pemOf(key.publicKey) } as const
    const { fingerprint } = (await api.call(createSigningKey, { projectId }, { as: ann, body })).body
    await expect
      .poll(
        async () =>
          (await list(projectId)).filter(({ trusted_keys }) => trusted_keys.some((one) => one.fingerprint === fingerprint))
            .length,
        patience,
      )
      .toBe(20)

    await stop()
    const [first] = before
    if (!first) throw new Error('There is no device')
    await change(deleteDevice, first)
    stop = runSimulatedFleets(api.deps)
    const seen = Object.fromEntries(before.map(({ id, last_seen_at }) => [id, last_seen_at]))
    // The clock of the test stands still: a second more tells later contacts from earlier ones.
    api.advance(1)
    await expect
      .poll(async () => (await list(projectId)).filter(({ id, last_seen_at }) => seen[id] !== last_seen_at).length, patience)
      .toBe(19)
    expect(await read(projectId)).toEqual({ ...all, devices: 19, added: 19, online: 19 })
    expect((await tokens(projectId)).map(({ uses }) => uses)).toEqual([20])

    for (const device of await list(projectId)) await change(decommissionDevice, device)
    expect((await read(projectId)).devices).toBe(0)
    await api.call(restoreDevice, { deviceId: first.id }, { as: ann })
    expect((await read(projectId)).devices).toBe(1)

    const { name, revision } = (await api.call(project, { projectId }, { as: ann })).body
    const ended = await api.call(
      deleteProject,
      { projectId },
      { as: ann, body: { confirm_name: name }, headers: { 'if-match': `"${revision}"` } },
    )
    expect(ended.status, ended.text).toBe(204)
    await expect.poll(() => existsSync(directory(projectId)), patience).toBe(false)
  },
)
