import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { QueryOf } from '../../../contract/core/endpoint'
import { project } from '../../../contract/accounts/projects'
import { pauseRollout } from '../../../contract/updates/rollout-steps'
import { rollout, rolloutDevices as endpoint } from '../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { createRolloutFixture, waves } from '../../../tests/support/rollout-fixture'
import { formatTimestamp } from '../../core/timestamps'
import { lockDeviceForChange } from '../../fleet/devices/repository'
import { devices } from '../../fleet/schema/devices'
import { rolloutDevices } from '../schema/rollouts'
import { insertRolloutDevices } from './rows/rollout-devices.repository'
import { maintainRolloutCounts } from './offer/maintain-counts'

const COUNT = 40
const states = ['queued', 'installing', 'failed', 'succeeded', 'held'] as const

let api: TestApi
let ann: Person
let rolloutId: string
let ids: string[]
beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const play = await createRolloutFixture(api, ann, projectId, COUNT)
  ids = play.ids
  ;({ id: rolloutId } = await play.start({ waves: waves(30, 100) }))
  // In the order of waves, which are drawn: each wave has devices of each state.
  const drawn = await api.db
    .select({ id: rolloutDevices.deviceId })
    .from(rolloutDevices)
    .where(eq(rolloutDevices.rolloutId, rolloutId))
    .orderBy(rolloutDevices.wave, rolloutDevices.deviceId)
  expect(drawn.length).toBe(COUNT)
  for (const [n, { id }] of drawn.entries()) {
    const state = states[n % states.length] ?? 'queued'
    const since = new Date(api.deps.clock().getTime() - n * 1000)
    await api.db.update(rolloutDevices).set({ state, since }).where(eq(rolloutDevices.deviceId, id))
  }
})
afterAll(() => api.close())

type Query = QueryOf<typeof endpoint>
const page = async (query: Query) => {
  const { status, text, body } = await api.call(endpoint, { rolloutId }, { as: ann, query })
  expect(status, text).toBe(200)
  return body
}
const walk = async (query: Query) => {
  const seen: Awaited<ReturnType<typeof page>>['devices'] = []
  for (let cursor: string | undefined; ;) {
    const found = await page({ ...query, limit: 7, ...(cursor !== undefined && { cursor }) })
    seen.push(...found.devices)
    if (found.next_cursor === null) return seen
    cursor = found.next_cursor
  }
}

/** What the database says without parts, counts and pages. */
const expected = async (order: string, where = 'true') => {
  const { rows } = await api.db.execute<{ name: string }>(sql`
    select devices.name from rollout_devices r join devices on devices.id = r.device_id
    where r.rollout_id = ${rolloutId} and ${sql.raw(where)} order by ${sql.raw(order)}`)
  return rows.map(({ name }) => name)
}

it.each<[Query, string, string | undefined]>([
  [{}, 'devices.name', undefined],
  [{ sort: '-name' }, 'devices.name desc', undefined],
  [{ sort: 'since' }, 'since', undefined],
  [{ wave: '2' }, 'devices.name', 'wave = 2'],
  [{ group: 'left_out' }, 'devices.name', "state = 'held'"],
  [{ group: 'failed', wave: '1', sort: '-name' }, 'devices.name desc', "state = 'failed' and wave = 1"],
  [{ q: 'EVICE 1' }, 'devices.name', "devices.name like 'device 1%'"],
  [{ q: '1', group: 'running' }, 'devices.name', "devices.name like '%1%' and state = 'installing'"],
])('pages of %j are cut from all waves and states in one order', async (query, order, where) => {
  for (const added of [false, true]) {
    if (added) await maintainRolloutCounts(api.deps)
    const names = await expected(order, where)
    expect(names.length).toBeGreaterThan(0)
    expect((await walk(query)).map(({ device_name }) => device_name)).toEqual(names)
    expect((await page(query)).total).toBe(names.length)
  }
})

it('a renamed device has its new place, and its update stays as it was', async () => {
  const [id = ''] = ids
  const shown = { since: devices.updateStateSince, state: devices.updateState }
  const before = await api.db.select(shown).from(devices).where(eq(devices.id, id))
  await api.db.update(devices).set({ name: 'aaa' }).where(eq(devices.id, id))
  const [first] = (await page({})).devices
  expect(first).toMatchObject({ device_id: id, device_name: 'aaa' })
  expect(await api.db.select(shown).from(devices).where(eq(devices.id, id))).toEqual(before)
})

it('a device that is renamed while it is added has its new name', async () => {
  const [, id = ''] = ids
  const [row] = await api.db.delete(rolloutDevices).where(eq(rolloutDevices.deviceId, id)).returning()
  const { projectId = '', wave = 1 } = row ?? {}
  const waiting = async () =>
    (await api.db.execute<{ n: number }>(sql`select count(*)::int as n from pg_locks where not granted`)).rows[0]?.n
  const added = await api.db.transaction(async (tx) => {
    await lockDeviceForChange(tx, id)
    await tx.update(devices).set({ name: 'aab' }).where(eq(devices.id, id))
    const adding = api.db.transaction((other) =>
      insertRolloutDevices(other, { id: rolloutId, projectId }, [{ deviceId: id, wave }], api.deps.clock()),
    )
    await expect.poll(waiting).toBe(1)
    return { adding }
  })
  await added.adding
  expect((await walk({})).find((one) => one.device_id === id)).toMatchObject({ device_name: 'aab' })
})

it('a deleted device stays in the list and is found', async () => {
  const id = ids.at(-1) ?? ''
  await api.db.update(devices).set({ deletedAt: api.deps.clock() }).where(eq(devices.id, id))
  expect((await walk({})).map(({ device_id }) => device_id)).toContain(id)
  expect((await page({ q: `device ${COUNT - 1}` })).devices.map(({ device_id }) => device_id)).toEqual([id])
})

it('a filter without devices, and a text that no name has, give an empty list', async () => {
  expect(await page({ wave: '9' })).toMatchObject({ devices: [], next_cursor: null, total: 0 })
  expect(await page({ q: 'zz' })).toMatchObject({ devices: [], next_cursor: null, total: 0 })
})

it('a waiting device says for what it waits, and when that ends', async () => {
  const projectId = await api.project({ ownerId: ann.id }, 'Yard')
  const play = await createRolloutFixture(api, ann, projectId, 2)
  const { id } = await play.start({ waves: waves(50, 100) })
  const seen = api.deps.clock()
  await api.db.update(devices).set({ lastSeenAt: seen, pollingIntervalS: null }).where(eq(devices.projectId, projectId))
  const { settings } = (await api.call(project, { projectId }, { as: ann })).body
  const shown = async (wave: string) =>
    (await api.call(endpoint, { rolloutId: id }, { as: ann, query: { wave } })).body.devices[0]
  const nextPoll = formatTimestamp(new Date(seen.getTime() + settings.polling_interval_s * 1000))
  expect(await shown('1')).toMatchObject({ state: 'queued', reason: 'Gets it at its next check-in', waits_until: nextPoll })
  expect(await shown('2')).toMatchObject({ state: 'queued', reason: 'The device is in wave 2', waits_until: null })
  await play.things.ask((await shown('1'))?.device_id ?? '')
  expect(await shown('1')).toMatchObject({ state: 'offered', reason: 'Offered, and not begun yet', waits_until: nextPoll })
  const reason = 'Storm tonight'
  expect((await api.call(pauseRollout, { rolloutId: id }, { as: ann, body: { reason } })).status).toBe(200)
  expect(await shown('2')).toMatchObject({ reason, waits_until: null })
})

it('a running rollout says which of its waiting devices is next, by the reason that the list gives for it', async () => {
  const projectId = await api.project({ ownerId: ann.id }, 'Quay')
  const play = await createRolloutFixture(api, ann, projectId, 4)
  const { id } = await play.start({ waves: waves(75, 100) })
  const next = async (of = id) => (await api.call(rollout, { rolloutId: of }, { as: ann })).body.next_wait
  const rows = async (wave: string) => (await api.call(endpoint, { rolloutId: id }, { as: ann, query: { wave } })).body.devices
  // None has ever asked.
  expect(await next()).toMatchObject({ reason: 'Gets it at its first check-in', until: null })
  const [overdue, soon, later] = (await rows('1')).map(({ device_id }) => device_id)
  const [other] = (await rows('2')).map(({ device_id }) => device_id)
  const now = api.deps.clock().getTime()
  const seen = [
    [overdue, -9000],
    [soon, -3000],
    [later, -60],
    [other, -3500],
  ] as const
  for (const [device = '', s] of seen)
    await api.db
      .update(devices)
      .set({ lastSeenAt: new Date(now + s * 1000), pollingIntervalS: 3600 })
      .where(eq(devices.id, device))
  const first = (await rows('1')).find((row) => row.device_id === soon)
  expect(await next()).toEqual({
    device_id: soon,
    device_name: first?.device_name,
    reason: 'Gets it at its next check-in',
    until: formatTimestamp(new Date(now + 600_000)),
  })
  // Those that are overdue are next when all are.
  for (const one of [soon, later])
    await api.db
      .update(devices)
      .set({ lastSeenAt: new Date(now - 8000_000) })
      .where(eq(devices.id, one ?? ''))
  expect(await next()).toMatchObject({ device_id: overdue, until: formatTimestamp(new Date(now - 5400_000)) })
  const body = { reason: 'Storm tonight' }
  expect((await api.call(pauseRollout, { rolloutId: id }, { as: ann, body })).body).not.toHaveProperty('next_wait')
  expect(await next()).toBeNull()
})

it('a rollout whose window is closed says when it opens', async () => {
  const projectId = await api.project({ ownerId: ann.id }, 'Mole')
  const play = await createRolloutFixture(api, ann, projectId, 2)
  const hour = (offset: number) => `${`${(api.deps.clock().getUTCHours() + offset) % 24}`.padStart(2, '0')}:00`
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
  const { id } = await play.start({ window: { days: [...days], from: hour(2), to: hour(4), zone: 'UTC' } })
  const { body } = await api.call(rollout, { rolloutId: id }, { as: ann })
  const opens = new Date(Math.floor(api.deps.clock().getTime() / 3_600_000 + 2) * 3_600_000)
  expect(body.next_wait).toMatchObject({ reason: 'The maintenance window is closed', until: formatTimestamp(opens) })
})
