import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import * as access from '../../contract/fleet/enrollment-tokens'
import { createDeviceConfig, type DeviceConfigForm } from '../../contract/fleet/configs'
import * as wire from '../../contract/device/endpoints'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { sendCommand } from '../../contract/fleet/device-commands'
import { disableDevice } from '../../contract/fleet/device-lifecycle'
import { updateDecision } from '../../contract/updates/device-updates'
import * as devices from '../../contract/fleet/devices'
import { createSigningKey } from '../../contract/fleet/keys'
import { overview } from '../../contract/overview/monitor'
import { createRollout } from '../../contract/updates/rollouts'
import { rollBackRollout } from '../../contract/updates/rollout-steps'
import { searchProject } from '../../contract/overview/search'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { checkInBody, enrollBody, eventOf } from '../../tests/support/devices'
import type { Person } from '../../tests/support/people'
import { createRolloutFixture, waves } from '../../tests/support/rollout-fixture'
import { statementsOf } from '../../tests/support/statements'
import { issueDeviceToken } from '../fleet/devices/device-token.repository'

let api: TestApi
let ann: Person
let projectId: string
beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
})
afterAll(() => api.close())
afterEach(() => vi.restoreAllMocks())

const readsSettings = (text: string) =>
  /"projects"\."settings"/.test(text) || (/ from "projects"/.test(text) && /"settings"/.test(text))
const settingsReads = async (call: Parameters<typeof statementsOf>[0]) => (await statementsOf(call)).filter(readsSettings).length

const configOf = (keyId: string): DeviceConfigForm => ({
  name: 'Line 1',
  enrollment: 'group',
  hardware_model: 'gw-imx8m',
  server_url: 'https://devices.example.com',
  public_key_ids: [keyId],
  persistent_directory: '/var/lib/teasel',
  install_root: '/',
  update_mode: 'file',
  polling_interval_s: 3600,
  network_timeout_s: 30,
  download_retries: 10,
  metrics_interval_s: 60,
  logs_enabled: true,
  log_level: 'info',
  single_check: false,
  stop_after: 'none',
})

const group = async () =>
  (await api.call(access.createEnrollmentToken, { projectId }, { as: ann, body: { name: 'Line' } })).body.token
const enrolled = async () => (await api.call(wire.enroll, {}, { as: await group(), body: enrollBody() })).body

it('a check-in with news takes nine statements and reads the settings of its project in one of them', async () => {
  const { device_token } = await enrolled()
  const body = checkInBody({ battery_percent: 80 })
  const checkIn = () => api.call(wire.checkIn, {}, { as: device_token, body })
  await checkIn()
  const statements = await statementsOf(checkIn)
  expect(statements.filter(readsSettings)).toHaveLength(1)
  expect(statements, statements.join('\n')).toHaveLength(9)
})

it('every other request of a device reads them once too', async () => {
  const token = await group()
  expect(await settingsReads(() => api.call(wire.enroll, {}, { as: token, body: enrollBody() }))).toBe(1)
  const { device_token: as } = await enrolled()
  const points = [{ name: 'load.1m', ts_ms: api.deps.clock().getTime(), value: 1 }]
  expect(await settingsReads(() => api.call(wire.metrics, {}, { as, body: { points } }))).toBe(1)
  expect(await settingsReads(() => api.call(wire.update, {}, { as }))).toBe(1)
})

it('a report that an update has failed, the creation of a rollout and its rollback read them once', async () => {
  const project = await api.project({ ownerId: ann.id }, 'Rollouts')
  const rolling = await createRolloutFixture(api, ann, project, 2)
  const { id: rolloutId } = await rolling.start()
  const [deviceId = ''] = rolling.ids
  const token = await issueDeviceToken(api.db, { projectId: project, deviceId }, api.deps.clock())
  expect((await api.call(wire.update, {}, { as: token })).status).toBe(200)
  const facts = { rollout_id: rolloutId, release_id: null, version: null, ts_ms: api.deps.clock().getTime() }
  const events = [eventOf({ ...facts, sequence: 1, type: 'update_failed', reason_code: 'install_failed' })]
  expect(await settingsReads(() => api.call(wire.updateEvents, {}, { as: token, body: { events } }))).toBe(1)
  expect((await rolling.read(rolloutId)).counts.failed).toBe(1)

  const rollBack = () => api.call(rollBackRollout, { rolloutId }, { as: ann, body: { reason: 'It fails' } })
  expect(await settingsReads(rollBack)).toBe(1)

  const plan = { target: { everything: true }, waves: waves(100) }
  const { preview_hash } = await rolling.preview(plan)
  const body = { ...plan, preview_hash }
  const create = () => api.call(createRollout, { releaseId: rolling.release.id }, { as: ann, body })
  expect(await settingsReads(create)).toBe(1)
})

it('a request of a person reads them once, with the scope of the request', async () => {
  const { device_id: deviceId } = await enrolled()
  const { publicKey } = await generateSigningKey('ed25519')
  const key = { name: 'release', algorithm: 'ed25519' as const, public_key_pem: pemOf(publicKey) }
  const keyId = (await api.call(createSigningKey, { projectId }, { as: ann, body: key })).body.id
  const as = { as: ann }
  const calls = {
    list: () => api.call(devices.devices, { projectId }, as),
    create: () => api.call(devices.createDevice, { projectId }, { ...as, body: { name: 'One', hardware_model: 'gw-imx8m' } }),
    read: () => api.call(devices.device, { deviceId }, as),
    command: () => api.call(sendCommand, { deviceId }, { ...as, body: { command: 'reboot' } }),
    disable: () => api.call(disableDevice, { deviceId }, as),
    decision: () => api.call(updateDecision, { deviceId }, as),
    overview: () => api.call(overview, { projectId }, as),
    search: () => api.call(searchProject, { projectId }, { ...as, query: { q: 'one' } }),
    token: () =>
      api.call(access.createEnrollmentToken, { projectId }, { ...as, body: { name: 'Line', hardware_model: 'gw-imx8m' } }),
    config: () => api.call(createDeviceConfig, { projectId }, { ...as, body: configOf(keyId) }),
  }
  const reads: Record<string, number> = {}
  for (const [name, call] of Object.entries(calls)) reads[name] = await settingsReads(call)
  expect(reads).toEqual(Object.fromEntries(Object.keys(calls).map((name) => [name, 1])))
})
