import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { classes, fleetOf } from '../../agent/simulate/classes'
import { report } from '../../agent/simulate/device-calls'
import { type HostileKind, hostileKinds } from '../../agent/simulate/hostile-kinds'
import { randomOf } from '../../agent/simulate/random'
import { poll } from '../../agent/simulate/run-device'
import type { SimulatedDevice } from '../../agent/simulate/simulated-device'
import { openSimulatedDevice, quietFleet } from '../../agent/testing/simulated'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import type { LogLine, MetricPoint } from '../../contract/device/api'
import { devices, type Device } from '../../contract/fleet/devices'
import { deviceSystemLogs } from '../../contract/fleet/device-logs'
import { deviceUpdateEvents, updateDecision } from '../../contract/updates/device-updates'
import { updateProject } from '../../contract/accounts/project-changes'
import { createRollout } from '../../contract/updates/rollouts'
import { defaultGate, previewRollout } from '../../contract/updates/rollout-plans'
import { startRollout } from '../../contract/updates/rollout-steps'
import { logBucket } from '../../server/fleet/logs/bucket'
import { isCounter } from '../../server/fleet/telemetry/points'
import { createTestApi, type TestApi } from '../support/api'
import { freePort } from '../support/free-port'
import { type HostileFleet, startHostileFleet } from '../support/hostile-fleet'
import type { Person } from '../support/people'
import { createReleaseFixture } from '../support/release-fixture'
import { within } from '../support/machine-load'

const goodCount = 3
/** The duplicate of a serial number is refused, so it is no device; the ordinary gateway is the one that it copies. */
const fleetCount = hostileKinds.length

let api: TestApi
let ann: Person
let projectId: string
let token: string
let fleet: HostileFleet | undefined
let maker: Awaited<ReturnType<typeof createReleaseFixture>>
let ticking: NodeJS.Timeout
let beganMs: number
const stop = new AbortController()

beforeAll(async () => {
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  // What a device may send grows with the time of the server.
  const tick = () => api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  tick()
  beganMs = Date.now()
  ticking = setInterval(tick, 100)
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  // One failed attempt is enough for a quarantine.
  const body = { settings: { device_failure_threshold: 1 } }
  await api.call(updateProject, { projectId }, { as: ann, body, headers: { 'if-match': '"1"' } })
  await api.app.listen({ port, host: '127.0.0.1' })
  maker = await createReleaseFixture(api, ann, projectId)
  const line = { name: 'line', kind: 'group' as const, auto_accept: true }
  const made = await api.call(createEnrollmentToken, { projectId }, { as: ann, body: line })
  expect(made.status, made.text).toBe(201)
  token = made.body.token
  fleet = await startHostileFleet(api.config.urls.api, token, maker.key.publicKey)
})
afterAll(async () => {
  stop.abort()
  await fleet?.kill('SIGKILL')
  clearInterval(ticking)
  await api.close()
})

const hostile = () => {
  if (!fleet) throw new Error('There is no fleet')
  return fleet
}
const listDevices = async () => (await api.call(devices, { projectId }, { as: ann, query: { limit: 50 } })).body.devices
/** Hostile devices fail their updates, which must not halt the rollout for the others. */
const gate = { ...defaultGate, min_success_percent: 0, max_failure_percent: 100 }
const rollOut = async (version: number) => {
  const wanted = { version, models: ['gw-imx8m'], bytes: randomBytes(4096), mayReturnTo: [] }
  const { id: releaseId } = await maker.signed(wanted)
  const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate }] }
  const seen = await api.call(previewRollout, { releaseId }, { as: ann, body: plan })
  expect(seen.status, seen.text).toBe(200)
  const body = { ...plan, preview_hash: seen.body.preview_hash }
  const made = await api.call(createRollout, { releaseId }, { as: ann, body })
  expect(made.status, made.text).toBe(201)
  const begun = await api.call(startRollout, { rolloutId: made.body.id }, { as: ann })
  expect(begun.status, begun.text).toBe(200)
}
const patience = { timeout: within(120_000), interval: 500 }

type Good = { device: SimulatedDevice; lines: Map<number, LogLine>; points: MetricPoint[] }
/** A device of this process that keeps what it sends. */
const openGood = async (at: number): Promise<Good> => {
  const options = quietFleet(api.config.urls.api, token, [maker.key.publicKey])
  const gateways = classes.filter(({ id }) => id === 'gateway')
  const [profile] = fleetOf('good', at + 1, gateways, (name) => randomOf('good', name)).slice(at)
  if (!profile) throw new Error('There is no gateway')
  const path = join(mkdtempSync(join(tmpdir(), 'teasel-good-')), 'device.json')
  const device = await openSimulatedDevice(profile, path, options, stop.signal)
  const good: Good = { device, lines: new Map(), points: [] }
  const { logs, metrics } = device.api
  device.api.logs = (sent) => {
    for (const line of sent) good.lines.set(line.sequence, line)
    return logs(sent)
  }
  device.api.metrics = (sent) => {
    good.points.push(...sent)
    return metrics(sent)
  }
  return good
}
const turns = 30
/** Polls, measures and logs more than the server takes at once, while each hostile device attacks at least three times. */
const work = async ({ device }: Good) => {
  const since = hostile().counts()
  for (let turn = 0; turn < turns || hostile().idle(3, since).length > 0; turn++) {
    if (turn < turns)
      for (let n = 0; n < 20; n++) device.log('info', 'collector', `turn ${turn}, reading ${n} of ${device.serial}`)
    await report(device, 0)
    await poll(device)
  }
}

const deviceOf = async (kind: HostileKind): Promise<Device> => {
  const serial = hostile().of(kind)[0]?.serial
  const found = (await listDevices()).find(({ serial_number }) => serial_number === serial)
  if (!found) throw new Error(`No device of ${kind}`)
  return found
}
const eventsOf = async ({ id: deviceId }: Device, type: string[] = []) => {
  const query = { limit: 100, ...(type.length > 0 && { type }) }
  return (await api.call(deviceUpdateEvents, { deviceId }, { as: ann, query })).body.update_events
}
const logOf = async ({ id }: Pick<Device, 'id'>) =>
  (
    await api.db.execute<{ sequence: number; ts_ms: number; message: string; boot_id: string }>(
      sql`select sequence::int, ts_ms::float8, message, boot_id from device_logs where device_id = ${id} order by sequence`,
    )
  ).rows
const statusesOf = (kind: HostileKind) =>
  [
    ...new Set(
      hostile()
        .of(kind)
        .flatMap(({ statuses }) => statuses),
    ),
  ].toSorted()

it('every line and measurement of the other devices is stored exactly once while all hostile kinds attack, and they are updated', async () => {
  await expect.poll(async () => (await listDevices()).length, patience).toBe(fleetCount)
  const good = await Promise.all(Array.from({ length: goodCount }, (_, at) => openGood(at)))
  await Promise.all(good.map(({ device }) => poll(device)))
  await rollOut(2)
  await expect.poll(() => hostile().idle(1), patience).toEqual([])
  await Promise.all(good.map(work))

  for (const { device, lines, points } of good) {
    const id = device.memory.identity?.device_id ?? ''
    const all = () => device.store.state.next_log - 1
    expect(all()).toBeGreaterThan(turns * 20)
    // What the server took no more of for the rate was kept.
    const drained = async () => {
      await device.logBuffer.send(device.api)
      return (await logOf({ id })).length
    }
    await expect.poll(drained, patience).toBe(all())
    const kept = [...lines.values()].toSorted((a, b) => a.sequence - b.sequence)
    expect(kept).toHaveLength(all())
    expect(await logOf({ id })).toEqual(
      kept.map(({ sequence, ts_ms, message, boot_id }) => ({ sequence, ts_ms, message, boot_id })),
    )
    const { rows } = await api.db.execute<{ point: string }>(sql`
      select name || ' ' || (extract(epoch from at) * 1000)::bigint as point from metric_points where device_id = ${id}`)
    // The first value of a counter is what its increase is counted from.
    const first = new Set<string>()
    const isStored = ({ name }: MetricPoint) => !isCounter(name) || first.has(name) || !first.add(name)
    const expected = points.filter(isStored).map(({ name, ts_ms }) => `${name} ${ts_ms}`)
    expect(rows.map(({ point }) => point).toSorted()).toEqual(expected.toSorted())
    expect((await listDevices()).find((one) => one.id === id)?.installed?.version).toBe(2)
  }
  expect(await listDevices()).toHaveLength(fleetCount + goodCount)
})

it('no hostile device gets an answer of 500 or above, each gets the refusal of its attack, and the server logs no error', async () => {
  await expect.poll(() => hostile().idle(2), patience).toEqual([])
  const unanswered = hostile()
    .attacks()
    .flatMap(({ kind, statuses }) => statuses.filter((status) => status === 0 || status >= 500).map((status) => [kind, status]))
  expect(unanswered).toEqual([])
  const errors = api.lines.map((line) => JSON.parse(line) as { level: number }).filter(({ level }) => level >= 50)
  expect(errors).toEqual([])
  expect(Object.fromEntries(hostileKinds.map((kind) => [kind, statusesOf(kind)]))).toEqual({
    duplicate_serial: [409],
    clock_1970: [202],
    clock_ahead: [202],
    events_out_of_order: [200],
    events_repeated: [200],
    log_flood: [202],
    body_too_large: [413],
    wrong_token: [401],
    old_manifest: [200],
    forged_signature: [200],
    range_flood: [206],
    success_without_reboot: [200],
  })
})

it('a forged manifest is refused for its signature: the device keeps what it runs, its update has failed, and it is in quarantine', async () => {
  const device = await deviceOf('forged_signature')
  expect(device.installed).toBe(null)
  expect(device.update).toMatchObject({ version: 2, state: 'failed', error_code: 'signature_invalid' })
  expect(device.quarantine?.reason).toBe('1 failed attempt of one release')
  const events = await eventsOf(device)
  expect(new Set(events.map(({ type, reason_code }) => `${type} ${reason_code}`))).toEqual(
    new Set(['verification_failed signature_invalid', 'update_offered null']),
  )
  const { body } = await api.call(updateDecision, { deviceId: device.id }, { as: ann })
  expect([body.outcome, body.checks.find(({ result }) => result === 'fail')?.id]).toEqual(['none', 'not_quarantined'])
})

it('who only reports success counts as updated in the rollout, and the device still shows that it runs nothing', async () => {
  const device = await deviceOf('success_without_reboot')
  expect(device.update?.state).toBe('succeeded')
  expect(device.update?.bytes_done).toBe(null)
  expect(device.installed).toBe(null)
})

it('wrong clocks, floods, repeated and unordered reports, and bodies above the limit change only what their own device shows', async () => {
  const countPoints = async (id: string) =>
    (await api.db.execute<{ n: number }>(sql`select count(*)::int as n from metric_points where device_id = ${id}`)).rows[0]?.n
  for (const kind of ['clock_1970', 'clock_ahead'] as const) {
    const device = await deviceOf(kind)
    const lines = await logOf(device)
    expect(lines.length).toBeGreaterThanOrEqual(4)
    const isWrong = (ms: number) => (kind === 'clock_1970' ? ms < 86_400_000 : ms > Date.now() + 2 * 86_400_000)
    expect(
      lines.every(({ ts_ms }) => isWrong(ts_ms)),
      kind,
    ).toBe(true)
    // By time they are found where they arrived.
    const query = { from: beganMs, to: Date.now(), limit: 2 }
    const { body } = await api.call(deviceSystemLogs, { deviceId: device.id }, { as: ann, query })
    expect(body.lines, kind).toHaveLength(2)
    expect(await countPoints(device.id), kind).toBe(0)
  }
  const flooding = await deviceOf('log_flood')
  const stored = (await logOf(flooding)).length
  expect(stored).toBeLessThanOrEqual(logBucket.burst + (logBucket.perSecond * (Date.now() - beganMs)) / 1000)
  expect(stored).toBeLessThan(hostile().of('log_flood').length * 2000)
  const { body } = await api.call(deviceSystemLogs, { deviceId: flooding.id }, { as: ann, query: { limit: 1 } })
  expect(body.dropped).toBeGreaterThan(0)
  for (const [kind, each] of [
    ['events_repeated', 1],
    ['events_out_of_order', 3],
  ] as const) {
    const attacks = hostile().of(kind).length
    const { rows } = await api.db.execute<{ sequence: number }>(sql`
      select sequence::int from update_events where device_id = ${(await deviceOf(kind)).id} and source = 'device' order by sequence`)
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1))
    expect(rows.length).toBeGreaterThanOrEqual(attacks * each)
  }
  for (const kind of ['body_too_large', 'wrong_token'] as const) expect(await logOf(await deviceOf(kind)), kind).toEqual([])
  expect((await deviceOf('range_flood')).update).toMatchObject({ version: 2, state: 'offered' })
  const installed = async () => (await deviceOf('duplicate_serial')).installed?.version
  await expect.poll(installed, patience).toBe(2)
  const copied = await deviceOf('duplicate_serial')
  const own = (await logOf(copied)).map(({ sequence }) => sequence)
  expect(own.length).toBeGreaterThan(60)
  expect(own).toEqual(own.map((_, index) => index + 1))
})

it('the manifest of an older release is refused for its version: the device keeps the newer one, and its update stays a success', async () => {
  await rollOut(3)
  const versionOf = async () => (await deviceOf('old_manifest')).installed?.version
  await expect.poll(versionOf, patience).toBe(3)
  const since = hostile().counts()
  await expect.poll(() => hostile().idle(2, since).includes('old_manifest'), patience).toBe(false)
  const device = await deviceOf('old_manifest')
  expect(device.installed).toMatchObject({ version: 3, confirmed: true })
  expect(device.update).toMatchObject({ version: 3, state: 'succeeded', error_code: null })
  expect(device.quarantine).toBe(null)
  const [newest, ...others] = await eventsOf(device, ['verification_failed'])
  expect(newest).toMatchObject({ version: 2, reason_code: 'version_not_newer', from_state: 'succeeded', to_state: 'succeeded' })
  expect(others.length).toBeGreaterThan(0)
})
