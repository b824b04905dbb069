import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeviceConfigForm } from '../../../contract/fleet/configs'
import * as access from '../../../contract/fleet/enrollment-tokens'
import * as audit from '../../../contract/accounts/audit'
import * as contract from '../../../contract/fleet/configs'
import { readConfig } from '../../../contract/device/config'
import * as wire from '../../../contract/device/endpoints'
import { generateSigningKey } from '../../../contract/device/private-key'
import { pemOf } from '../../../contract/device/public-key'
import { createDevice } from '../../../contract/fleet/devices'
import * as keys from '../../../contract/fleet/keys'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { checkInBody, enrollBody } from '../../../tests/support/devices'
import type { Person } from '../../../tests/support/people'
import { enrollmentTokens } from '../schema/devices'

let api: TestApi
let ann: Person
let projectId: string
let keyIds: string[]

const newKey = async (name: string) => {
  const { publicKey } = await generateSigningKey('ed25519')
  const body = { name, algorithm: 'ed25519' as const, public_key_pem: pemOf(publicKey) }
  const made = await api.call(keys.createSigningKey, { projectId }, { as: ann, body })
  expect(made.status, made.text).toBe(201)
  return made.body.id
}

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  keyIds = [await newKey('release'), await newKey('spare')]
})
afterAll(() => api.close())

const form = (facts: Partial<DeviceConfigForm> = {}): DeviceConfigForm => ({
  name: 'Line 1',
  enrollment: 'group',
  hardware_model: 'gw-imx8m',
  server_url: 'https://devices.example.com/',
  public_key_ids: keyIds,
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
  ...facts,
})
const generate = (facts: Partial<DeviceConfigForm> = {}) =>
  api.call(contract.createDeviceConfig, { projectId }, { as: ann, body: form(facts) })
const check = async (config: Record<string, unknown>) =>
  (await api.call(contract.checkDeviceConfig, { projectId }, { as: ann, body: { config } })).body.findings

describe('the config generator', () => {
  it('creates a device.json that the agent accepts, and whose token enrolls devices', async () => {
    const { status, body, text } = await generate()
    expect(status, text).toBe(201)
    expect(body.warnings).toEqual([])
    expect(await readConfig(body.config)).toEqual({ config: body.config })
    expect(body.config).toMatchObject({ schema: 1, project_id: projectId, server_url: 'https://devices.example.com' })
    expect(body.config.public_keys).toHaveLength(2)
    const token = String(body.config.enrollment_token)
    for (const n of [1, 2]) {
      const enrolled = await api.call(wire.enroll, {}, { as: token, body: enrollBody({ hardware_model: 'gw-imx8m' }) })
      expect(enrolled.status, `device ${n}: ${enrolled.text}`).toBe(201)
    }
    const other = await api.call(wire.enroll, {}, { as: token, body: enrollBody({ hardware_model: 'cam' }) })
    expect([other.status, other.error.details[0]?.field]).toEqual([422, 'hardware_model'])
  })

  it('creates one for a known device, with the token given by its author', async () => {
    const made = await api.call(createDevice, { projectId }, { as: ann, body: { name: 'North', hardware_model: 'gw-imx8m' } })
    const { id: device_id, device_token } = made.body
    const known = await generate({ name: 'North', enrollment: 'pre_enrolled', device_id, device_token })
    expect(known.status, known.text).toBe(201)
    expect(known.body.config).toMatchObject({ name: 'North', device_id, device_token })
    expect(known.body.enrollment_token_id).toBe(null)
    expect((await api.call(wire.checkIn, {}, { as: device_token, body: checkInBody() })).status).toBe(200)
    const foreign = await api.call(createDevice, { projectId }, { as: ann, body: { name: 'South', hardware_model: 'gw-imx8m' } })
    const mixed = { enrollment: 'pre_enrolled' as const, device_id, device_token: foreign.body.device_token }
    expect((await generate(mixed)).error.details[0]?.field).toBe('device_token')
  })

  it('refuses a volatile state directory, except for a trial', async () => {
    expect((await generate({ persistent_directory: '/tmp/teasel' })).error.details[0]?.field).toBe('persistent_directory')
    const trial = await generate({ persistent_directory: '/tmp/teasel', trial: true })
    expect(trial.status, trial.text).toBe(201)
    expect(trial.body.warnings).toEqual([
      { path: 'persistent_directory', level: 'warning', text: 'State in /tmp is lost at reboot' },
    ])
  })

  it.each([
    ['a path in the address', { server_url: 'https://devices.example.com/api' }, 'server_url'],
    ['plain http to the world', { server_url: 'http://devices.example.com' }, 'server_url'],
    ['slots of a device that has none', { slots: { a: '/dev/a', b: '/dev/b' } }, 'slots'],
    ['no key', { public_key_ids: [] }, 'public_key_ids'],
    ['a key of somebody else', { public_key_ids: ['01HZZZZZZZZZZZZZZZZZZZZZZZ'] }, 'public_key_ids'],
  ])('refuses %s', async (_, facts, field) => {
    const { status, error } = await generate(facts)
    expect([status, error.details[0]?.field]).toEqual([422, field])
  })
})

describe('an enrollment token of the config generator', () => {
  const day = 86_400_000
  const entriesOf = async (project: string, as: Person) =>
    (await api.call(audit.projectAuditLog, { projectId: project }, { as })).body.entries
  const generateIn = (project: string, as: Person, ids: string[]) =>
    api.call(contract.createDeviceConfig, { projectId: project }, { as, body: form({ public_key_ids: ids }) })
  const enroll = (token: string) => api.call(wire.enroll, {}, { as: token, body: enrollBody({ hardware_model: 'gw-imx8m' }) })

  it('is in the audit log as one that the generator made, by name and prefix and without its secret', async () => {
    const { body } = await generate({ name: 'Line 7' })
    const token = String(body.config.enrollment_token)
    const entries = (await entriesOf(projectId, ann)).slice(0, 2)
    const created = entries.find(({ action }) => action === 'enrollment_token.create')
    expect(entries.map(({ action }) => action).toSorted()).toEqual(['config.generate', 'enrollment_token.create'])
    expect(created).toMatchObject({
      actor: { kind: 'user', id: ann.id },
      project_id: projectId,
      target: { kind: 'enrollment_token', id: body.enrollment_token_id, name: 'Line 7' },
      reason: 'Created by the config generator',
    })
    expect(created?.changes).toContainEqual({ field: 'prefix', before: null, after: token.slice(0, 8) })
    expect(JSON.stringify(entries)).not.toContain(token)
  })

  it('is not in the audit log where none was made', async () => {
    const { body } = await api.call(createDevice, { projectId }, { as: ann, body: { name: 'East', hardware_model: 'gw-imx8m' } })
    const before = (await entriesOf(projectId, ann)).length
    const known = { name: 'East', enrollment: 'pre_enrolled' as const, device_id: body.id, device_token: body.device_token }
    expect((await generate(known)).status).toBe(201)
    expect((await generate({ server_url: 'http://devices.example.com' })).status).toBe(422)
    expect((await entriesOf(projectId, ann)).slice(0, -before).map(({ action }) => action)).toEqual(['config.generate'])
  })

  it('admits any number of devices for a year where its maker manages access', async () => {
    const { body } = await generate()
    expect(body.enrollment_limits?.max_uses).toBeNull()
    const left = new Date(body.enrollment_limits?.expires_at ?? 0).getTime() - api.deps.clock().getTime()
    expect(Math.round(left / day)).toBe(365)
  })

  it('admits 100 devices within 7 days where an operator made it, whatever the operator sends', async () => {
    const owner = await api.person()
    const { id } = await api.organization(owner, 'Field')
    const project = await api.project({ organizationId: id })
    const host = await api.person()
    const shared = await api.project({ ownerId: host.id })
    const cases = [
      { operator: await api.member(id, 'operator'), reader: owner, place: project },
      { operator: await api.guest(shared, 'operator'), reader: host, place: shared },
    ]
    for (const { operator, reader, place } of cases) {
      const { publicKey } = await generateSigningKey('ed25519')
      const key = { name: 'release', algorithm: 'ed25519' as const, public_key_pem: pemOf(publicKey) }
      const ids = [(await api.call(keys.createSigningKey, { projectId: place }, { as: reader, body: key })).body.id]
      const body = { name: 'Line 1' }
      expect((await api.call(access.createEnrollmentToken, { projectId: place }, { as: operator, body })).status).toBe(403)
      const made = await generateIn(place, operator, ids)
      expect(made.status, made.text).toBe(201)
      expect(made.body.enrollment_limits?.max_uses).toBe(100)
      const longer = { ...form({ public_key_ids: ids }), expires_at: '2027-10-01T00:00:00Z', max_uses: 100_000 }
      expect((await api.call(contract.createDeviceConfig, { projectId: place }, { as: operator, body: longer })).status).toBe(422)
      const { enrollment_tokens } = (await api.call(access.enrollmentTokens, { projectId: place }, { as: reader })).body
      expect(enrollment_tokens).toHaveLength(1)
      const [token] = enrollment_tokens
      const left = new Date(token?.expires_at ?? 0).getTime() - api.deps.clock().getTime()
      expect([token?.max_uses, Math.round(left / day)]).toEqual([100, 7])
      const secret = String(made.body.config.enrollment_token)
      expect((await enroll(secret)).status).toBe(201)
      await api.db
        .update(enrollmentTokens)
        .set({ uses: 100 })
        .where(eq(enrollmentTokens.id, token?.id ?? ''))
      const past = await enroll(secret)
      expect([past.status, past.error.code]).toEqual([403, 'token_used_up'])
    }
  })
})

describe('the checker', () => {
  it('reports every error, and warns of unusual values', async () => {
    const { config } = (await generate()).body
    expect(await check(config)).toEqual([])
    expect((await check({ ...config, public_keys: [], speed: 9 })).map(({ path, level }) => [path, level])).toEqual([
      ['public_keys', 'error'],
      ['speed', 'error'],
    ])
    const lonely = { ...config, public_keys: (config.public_keys as unknown[]).slice(0, 1), single_check: true }
    expect((await check(lonely)).map(({ path, level }) => [path, level])).toEqual([
      ['public_keys', 'warning'],
      ['single_check', 'warning'],
    ])
  })
})
