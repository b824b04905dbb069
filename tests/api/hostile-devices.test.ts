import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type HostileKind, hostileKinds } from '../../agent/simulate/hostile-kinds'
import { buildAgent, type Running, start } from '../../agent/testing/agent-process'
import { createEnrollmentToken } from '../../contract/access'
import { pemOf } from '../../contract/device/public-key'
import { devices, type Device } from '../../contract/devices'
import { deviceSystemLogs } from '../../contract/device-logs'
import { deviceUpdateEvents } from '../../contract/device-updates'
import { createRollout } from '../../contract/rollouts'
import { defaultGate, previewRollout } from '../../contract/rollout-plans'
import { startRollout } from '../../contract/rollout-steps'
import { createTestApi, type TestApi } from '../support/api'
import { freePort } from '../support/free-port'
import type { Person } from '../support/people'
import { createReleaseFixture } from '../support/release-fixture'

const honest = 3
/** The duplicate of a serial number is refused, so it is no device. */
const enrolled = honest + hostileKinds.length - 1

let api: TestApi
let ann: Person
let projectId: string
let fleet: Running | undefined
let state: string
let maker: Awaited<ReturnType<typeof createReleaseFixture>>

beforeAll(async () => {
  const program = await buildAgent('fleet')
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  await api.app.listen({ port, host: '127.0.0.1' })
  maker = await createReleaseFixture(api, ann, projectId)
  const folder = mkdtempSync(join(tmpdir(), 'teasel-hostile-'))
  state = join(folder, 'state')
  writeFileSync(join(folder, 'key.pem'), pemOf(maker.key.publicKey))
  const body = { name: 'line', kind: 'group' as const, auto_accept: true }
  const made = await api.call(createEnrollmentToken, { projectId }, { as: ann, body })
  expect(made.status, made.text).toBe(201)
  const options = {
    server: api.config.urls.api,
    'enrollment-token': made.body.token,
    'public-key': join(folder, 'key.pem'),
    state,
    devices: String(honest),
    classes: 'gateway',
    speed: '600',
    'fastest-poll': '1',
    'metrics-interval': '1',
    outcome: 'success',
    hostile: 'all',
  }
  fleet = start(
    program,
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
  )
}, 60_000)
afterAll(async () => {
  await fleet?.kill('SIGKILL')
  await api.close()
})

type Done = { serial: string; kind: HostileKind; statuses: number[] }
const done = (): Done[] => {
  const path = join(state, 'hostile.ndjson')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Done)
}
const listDevices = async () => (await api.call(devices, { projectId }, { as: ann, query: { limit: 50 } })).body.devices
const rollOut = async (releaseId: string) => {
  const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate: defaultGate }] }
  const seen = await api.call(previewRollout, { releaseId }, { as: ann, body: plan })
  expect(seen.status, seen.text).toBe(200)
  const body = { ...plan, preview_hash: seen.body.preview_hash }
  const made = await api.call(createRollout, { releaseId }, { as: ann, body })
  expect(made.status, made.text).toBe(201)
  const begun = await api.call(startRollout, { rolloutId: made.body.id }, { as: ann })
  expect(begun.status, begun.text).toBe(200)
}
const until = async (what: string, condition: () => Promise<boolean> | boolean) =>
  expect.poll(condition, { timeout: 60_000, interval: 500, message: what }).toBe(true)

it('hostile and faulty devices get no answer of 500 or above, and the other devices lose nothing', async () => {
  await until('all devices have enrolled', async () => (await listDevices()).length === enrolled)
  const { id: releaseId } = await maker.signed({ version: 2, models: ['gw-imx8m'], bytes: randomBytes(4096) })
  await rollOut(releaseId)
  const count = (kind: HostileKind) => done().filter((one) => one.kind === kind).length
  await expect.poll(() => hostileKinds.filter((kind) => count(kind) < 2), { timeout: 60_000, interval: 500 }).toEqual([])

  const all = done()
  expect(
    all.flatMap(({ kind, statuses }) =>
      statuses.filter((status) => status === 0 || status >= 500).map((status) => [kind, status]),
    ),
  ).toEqual([])
  const statusesOf = (kind: HostileKind) => new Set(all.filter((one) => one.kind === kind).flatMap(({ statuses }) => statuses))
  expect(statusesOf('duplicate_serial')).toEqual(new Set([409]))
  expect(statusesOf('wrong_token')).toEqual(new Set([401]))
  expect(statusesOf('body_too_large')).toEqual(new Set([413]))

  const list = await listDevices()
  const hostile = new Set(all.map(({ serial, kind }) => (kind === 'duplicate_serial' ? '' : serial)))
  const others = list.filter(({ serial_number: serial }) => !hostile.has(serial ?? ''))
  expect(others).toHaveLength(honest)
  // They have installed the release, and each of their lines is stored once, without a gap.
  await until(
    'the other devices are updated',
    async () =>
      (await listDevices()).filter(({ id, installed }) => others.some((one) => one.id === id) && installed?.version === 2)
        .length === honest,
  )
  for (const { id } of others) {
    const { rows } = await api.db.execute<{ n: number; first: number; last: number }>(sql`
      select count(*)::int as n, min(sequence)::int as first, max(sequence)::int as last from device_logs where device_id = ${id}`)
    expect(rows[0]?.n).toBeGreaterThan(60)
    expect(rows[0]).toMatchObject({ first: 1, last: rows[0]?.n })
    const { body } = await api.call(deviceSystemLogs, { deviceId: id }, { as: ann, query: { limit: 1 } })
    expect(body.dropped).toBe(0)
  }

  // Nobody believes a forged manifest, a replayed one, or a report of success without the version.
  const deviceOf = (kind: HostileKind): Device => {
    const serial = all.find((one) => one.kind === kind)?.serial
    const found = list.find(({ serial_number }) => serial_number === serial)
    if (!found) throw new Error(`No device of ${kind}`)
    return found
  }
  const typesOf = async (kind: HostileKind) => {
    const { body } = await api.call(deviceUpdateEvents, { deviceId: deviceOf(kind).id }, { as: ann, query: { limit: 100 } })
    return body.update_events.map(({ type }) => type)
  }
  expect(await typesOf('forged_signature')).toContain('verification_failed')
  expect(deviceOf('forged_signature').installed).toBe(null)
  expect(deviceOf('success_without_reboot').installed).toBe(null)
}, 180_000)
