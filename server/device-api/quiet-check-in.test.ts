import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import * as wire from '../../contract/device/endpoints'
import type { CheckInBody } from '../../contract/device/api'
import { moveDevice } from '../../contract/fleet/device-lifecycle'
import { sendCommand } from '../../contract/fleet/device-commands'
import { device as deviceEndpoint, updateDevice } from '../../contract/fleet/devices'
import { deviceInstallations } from '../../contract/updates/device-updates'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { repetitions } from '../../tests/support/counts'
import { checkInBody } from '../../tests/support/devices'
import '../../tests/support/fixed-seed'
import type { Person } from '../../tests/support/people'
import { createReleaseFixture } from '../../tests/support/release-fixture'
import { statementsOf } from '../../tests/support/statements'
import { createContacts } from '../fleet/devices/contacts'
import { issueDeviceToken } from '../fleet/devices/device-token.repository'
import { insertDevice } from '../fleet/devices/repository'
import { devices } from '../fleet/schema/devices'

let api: TestApi
let ann: Person
let projectId: string
let workshopId: string
let fixture: Awaited<ReturnType<typeof createReleaseFixture>>
beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  workshopId = await api.project({ ownerId: ann.id }, 'Workshop')
  fixture = await createReleaseFixture(api, ann, projectId)
})
afterAll(() => api.close())

let made = 0
const newDevice = async () => {
  const now = api.deps.clock()
  const facts = { name: `Quiet ${++made}`, hardwareModel: 'gw-imx8m', lifecycle: 'active', enrollment: 'single' } as const
  const { id } = await insertDevice(api.db, { projectId, ...facts }, now)
  return { id, token: await issueDeviceToken(api.db, { projectId, deviceId: id }, now) }
}
const checkIn = async (token: string, facts: Partial<CheckInBody> = {}, headers: Record<string, string> = {}, from?: string) => {
  const reply = await api.call(wire.checkIn, {}, { as: token, body: checkInBody(facts), headers, ...(from && { from }) })
  expect(reply.status, reply.text).toBe(200)
  return reply
}
const drafts = new Map<number, string>()
/** The id of a release of the project, one of each version. */
const release = async (version: number) => {
  const id = drafts.get(version) ?? (await fixture.draft({ version, bytes: Buffer.alloc(8), models: ['gw-imx8m'] })).releaseId
  drafts.set(version, id)
  return id
}
const rowOf = async (id: string) => {
  const [row] = await api.db.select().from(devices).where(eq(devices.id, id))
  if (!row) throw new Error('the device does not exist')
  return row
}
const seenAt = async (id: string) => (await rowOf(id)).lastSeenAt?.getTime()

it('a check-in without news reads with one statement and writes nothing', async () => {
  const { token } = await newDevice()
  await checkIn(token, { key_list_counter: 0 })
  api.advance(60)
  const statements = await statementsOf(() => checkIn(token, { key_list_counter: 0 }))
  expect(statements).toHaveLength(1)
  expect(statements[0]).toMatch(/^select /)
})

it('metrics of a device take two statements, whatever their number', async () => {
  const { token } = await newDevice()
  await checkIn(token)
  const post = async (names: number) => {
    api.advance(60)
    const ts_ms = api.deps.clock().getTime()
    const points = Array.from({ length: names }, (_, n) => ({ name: `app.value_${n}`, ts_ms, value: n }))
    return api.call(wire.metrics, {}, { as: token, body: { points } })
  }
  await post(1)
  expect(await statementsOf(() => post(1))).toHaveLength(2)
  expect(await statementsOf(() => post(150))).toHaveLength(2)
})

const line = (sequence: number) =>
  JSON.stringify({ sequence, ts_ms: 1000, level: 'info', unit: 'kernel', message: 'up', boot_id: checkInBody().boot_id })
const postLines = (token: string, numbers: readonly number[]) => {
  const rows = { text: numbers.map(line).join('\n'), type: 'application/x-ndjson' } as const
  return api.call(wire.logs, {}, { as: token, rows })
}

it('log lines of a device take two statements, and three if some may be stored already', async () => {
  const { token } = await newDevice()
  await checkIn(token)
  expect(await statementsOf(() => postLines(token, [1]))).toHaveLength(2)
  expect(await statementsOf(() => postLines(token, [2, 3, 4]))).toHaveLength(2)
  expect(await statementsOf(() => postLines(token, [3, 4, 5]))).toHaveLength(3)
})

it('batches of a device that arrive at the same time are all stored, each once', async () => {
  const { id, token } = await newDevice()
  await checkIn(token)
  const now = api.deps.clock().getTime()
  const rounds = Array.from({ length: 5 }, (_, n) => n + 1)
  const replies = await Promise.all(
    rounds.flatMap((n) => {
      const points = [{ name: 'net.eth0.rx_bytes_total', ts_ms: now - 60_000 + n, value: 100 * n }]
      return [api.call(wire.metrics, {}, { as: token, body: { points } }), postLines(token, [n, n + 1])]
    }),
  )
  expect(replies.map(({ status, text }) => (status === 202 ? status : text))).toEqual(replies.map(() => 202))
  const { rows: stored } = await api.db.execute(sql`select sequence from device_logs where device_id = ${id} order by sequence`)
  expect(stored).toEqual([...rounds, 6].map((sequence) => ({ sequence })))
  const { rows: feeds } = await api.db.execute(
    sql`select last_sequence, lines_today, tokens::int from log_feeds where device_id = ${id}`,
  )
  expect(feeds).toEqual([{ last_sequence: 6, lines_today: 6, tokens: 500 - 2 * rounds.length }])
  // The increases of a counter are those between the values that arrived in order, the last of which is 500.
  const { rows: points } = await api.db.execute<{ at: number; value: number }>(sql`
    select (extract(epoch from at) * 1000)::bigint as at, value from metric_points where device_id = ${id} order by at`)
  const endOf = ({ at }: { at: number }) => 100 * (at - now + 60_000)
  let before = points[0] ? endOf(points[0]) - points[0].value : 500
  for (const point of points) {
    expect(point.value).toBe(endOf(point) - before)
    before = endOf(point)
  }
  expect(before).toBe(500)
  const { rows: latest } = await api.db.execute(
    sql`select readings -> 0 ->> 1 as value from latest_metrics where device_id = ${id}`,
  )
  expect(latest).toEqual([{ value: '500' }])
})

it('a check-in with the same installed release is quiet, one that confirms it is not', async () => {
  const { id, token } = await newDevice()
  const installed = { release_id: await release(2), version: 2, slot: 'a', confirmed: false } as const
  await checkIn(token, { installed })
  expect(await rowOf(id)).toMatchObject({ installedReleaseId: installed.release_id, installedConfirmed: false })
  expect(await statementsOf(() => checkIn(token, { installed }))).toHaveLength(1)
  expect((await statementsOf(() => checkIn(token, { installed: { ...installed, confirmed: true } }))).length).toBeGreaterThan(1)
  expect((await rowOf(id)).installedConfirmed).toBe(true)
})

it('a check-in that says again that nothing is installed is quiet', async () => {
  const { token } = await newDevice()
  await checkIn(token, { installed: { release_id: await release(2), version: 2, slot: 'a', confirmed: true } })
  await checkIn(token)
  expect(await statementsOf(() => checkIn(token))).toHaveLength(1)
})

const move = async (deviceId: string, goalId: string): Promise<string> => {
  const { revision } = await rowOf(deviceId)
  const body = { project_id: goalId, without_trusted_key: true } as const
  const moved = await api.call(moveDevice, { deviceId }, { as: ann, body, headers: { 'if-match': `"${revision}"` } })
  expect(moved.status, moved.text).toBe(200)
  return moved.body.id
}

it('the second check-in of a moved device is quiet, though what it runs is no release of its new project', async () => {
  const { id, token } = await newDevice()
  const installed = { release_id: await release(3), version: 3, slot: 'a', confirmed: true } as const
  await checkIn(token, { installed })
  const movedId = await move(id, workshopId)
  const history = async () => (await api.call(deviceInstallations, { deviceId: movedId }, { as: ann })).body.releases
  const before = await history()
  await checkIn(token, { installed })
  const statements = await statementsOf(() => checkIn(token, { installed }))
  expect(statements).toHaveLength(1)
  const shown = { installedReleaseId: null, installedName: 'Firmware 3', installedVersion: 3 }
  expect(await rowOf(movedId)).toMatchObject(shown)
  expect([before.length, await history()]).toEqual([1, before])
})

it.each([
  ['that it left with', 'at its return', [5]],
  ['that it got after it had left', 'at its next check-in', [6]],
  ['that it left with, after another one', 'at its return', [6, 5]],
])('a device that returns to its first project with a release %s is named it %s', async (_, when, versions) => {
  const releases = new Map<number, string>()
  for (const version of [5, 6]) releases.set(version, await release(version))
  const runs = (version: number) => ({ release_id: releases.get(version) ?? '', version, slot: 'a', confirmed: true }) as const
  const { id, token } = await newDevice()
  await checkIn(token, { installed: runs(5) })
  const movedId = await move(id, workshopId)
  for (const version of [5, ...versions]) await checkIn(token, { installed: runs(version) })
  expect((await rowOf(movedId)).installedReleaseId).toBe(null)
  expect(await move(movedId, projectId)).toBe(id)
  const installed = runs(versions.at(-1) ?? 0)
  const named = { installedReleaseId: installed.release_id, installedName: `Firmware ${installed.version}` }
  if (when === 'at its return') expect(await rowOf(id)).toMatchObject(named)
  await checkIn(token, { installed })
  expect(await rowOf(id)).toMatchObject(named)
  expect(await statementsOf(() => checkIn(token, { installed }))).toHaveLength(1)
})

it('a quiet check-in still tells of a command, and of a device that was silent', async () => {
  const { id, token } = await newDevice()
  await checkIn(token)
  await api.call(sendCommand, { deviceId: id }, { as: ann, body: { command: 'reboot' } })
  expect((await checkIn(token)).body.commands).toMatchObject([{ command: 'reboot' }])
  expect((await checkIn(token)).body.commands).toEqual([])
  api.advance(3 * 3600 + 120)
  ann = { ...ann, ...(await api.session(ann.id)) }
  const connectivity = async () => (await api.call(deviceEndpoint, { deviceId: id }, { as: ann })).body.connectivity
  expect(await connectivity()).toBe('offline')
  await checkIn(token)
  expect(await connectivity()).toBe('online')
})

it('a changed polling interval is answered at the next quiet check-in', async () => {
  const { id, token } = await newDevice()
  await checkIn(token)
  const { revision } = await rowOf(id)
  const changed = await api.call(
    updateDevice,
    { deviceId: id },
    { as: ann, body: { polling_interval_s: 900 }, headers: { 'if-match': `"${revision}"` } },
  )
  expect(changed.status, changed.text).toBe(200)
  expect((await checkIn(token)).body.polling_interval_s).toBe(900)
})

const places = ['10.1.0.1', '10.1.0.2']
const boots = ['0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11', '1b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c12']
const unknownRelease = '01K00000000000000000000000'
const digest = (n: number) => n.toString(16).repeat(64)
const report = fc.record({
  after: fc.constantFrom(1, 60, 3600, 40_000),
  from: fc.constantFrom(...places),
  // One of many fields differs from the usual report, or none does.
  news: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Partial<CheckInBody>>({}) },
    fc.constantFrom<Partial<CheckInBody>>(
      { boot_id: boots[1]! },
      { trusted_keys: [digest(1)] },
      { key_list_counter: 1 },
      { secure_boot: { state: 'open', rollback_version: 0 } },
      { secure_boot: { state: 'unknown', rollback_version: 3 } },
      { secure_boot: { state: 'unknown', rollback_version: 0, bundle_id: unknownRelease } },
      { secure_boot: { state: 'unknown', rollback_version: 0, key_hash: digest(2) } },
      { secure_boot: { state: 'unknown', rollback_version: 0, words: [{ bank: 1, word: 3, value_hex: '2000000' }] } },
      { polling_interval_s: 600 },
      { client: { name: 'teasel-agent', version: '0.2.0', config_hash: digest(0) } },
      { installed: { release_id: unknownRelease, version: 4, slot: 'a', confirmed: false } },
      { installed: { release_id: unknownRelease, version: 4, slot: 'a', confirmed: true } },
      { battery_percent: 50 },
    ),
  ),
})

it('quiet check-ins leave the same device as those that are written one by one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(report, { minLength: 2, maxLength: 12 }), async (reports) => {
      const [quiet, written] = [await newDevice(), await newDevice()]
      for (const [n, { after, from, news }] of reports.entries()) {
        api.advance(after)
        const one = await checkIn(quiet.token, news, {}, from)
        // A request with a key is always handled in a transaction.
        const other = await checkIn(written.token, news, { 'idempotency-key': `report-${n}` }, from)
        expect(one.body).toEqual(other.body)
        // The times of last contacts reach the database, as they do within seconds.
        const contacts = createContacts(api.deps)
        contacts.note(quiet.id, api.deps.clock())
        await contacts.close()
      }
      const { id: _a, name: _b, seenFrom: fromQuiet, ...a } = await rowOf(quiet.id)
      const { id: _c, name: _d, seenFrom: fromWritten, ...b } = await rowOf(written.id)
      expect(a).toEqual(b)
      // The time of the present origin follows from the last contact.
      const [first, ...rest] = fromQuiet
      expect([{ ...first, at: a.lastSeenAt?.toISOString() }, ...rest]).toEqual(fromWritten)
    }),
    { numRuns: repetitions(12, 200) },
  )
})

it('the last contacts of many devices are written by one statement, never backwards', async () => {
  const [one, two] = [await newDevice(), await newDevice()]
  const now = api.deps.clock()
  const before = new Date(now.getTime() - 5000)
  const contacts = createContacts(api.deps)
  contacts.note(one.id, now)
  contacts.note(one.id, before)
  contacts.note(two.id, before)
  const query = vi.spyOn(Client.prototype, 'query')
  await contacts.close()
  expect(query).toHaveBeenCalledTimes(1)
  query.mockRestore()
  expect([await seenAt(one.id), await seenAt(two.id)]).toEqual([now.getTime(), before.getTime()])
  contacts.note(one.id, before)
  await contacts.close()
  expect(await seenAt(one.id)).toBe(now.getTime())
})

it('a contact whose row is locked waits for the next flush and blocks nobody', async () => {
  const [locked, free] = [await newDevice(), await newDevice()]
  const now = api.deps.clock()
  const contacts = createContacts(api.deps)
  await api.db.transaction(async (tx) => {
    await tx.select().from(devices).where(eq(devices.id, locked.id)).for('update')
    contacts.note(locked.id, now)
    contacts.note(free.id, now)
    await contacts.flush()
    expect([await seenAt(locked.id), await seenAt(free.id)]).toEqual([undefined, now.getTime()])
  })
  await contacts.close()
  expect(await seenAt(locked.id)).toBe(now.getTime())
})

it('the contacts of a host are written when it closes', async () => {
  const other = await createTestApi()
  const owner = await other.person()
  const project = await other.project({ ownerId: owner.id })
  const now = other.deps.clock()
  const facts = { name: 'Last', hardwareModel: 'gw-imx8m', lifecycle: 'active', enrollment: 'single' } as const
  const { id } = await insertDevice(other.db, { projectId: project, ...facts }, now)
  const token = await issueDeviceToken(other.db, { projectId: project, deviceId: id }, now)
  const call = () => other.call(wire.checkIn, {}, { as: token, body: checkInBody() })
  expect((await call()).status).toBe(200)
  other.advance(60)
  expect((await call()).status).toBe(200)
  const at = async () => (await other.db.select({ at: devices.lastSeenAt }).from(devices))[0]?.at?.getTime()
  expect(await at()).toBe(now.getTime())
  await other.app.close()
  expect(await at()).toBe(other.deps.clock().getTime())
  await other.close()
})
