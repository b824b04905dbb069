import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bulkChangeDevices } from '../../../../contract/fleet/device-jobs'
import { attentionKinds, devices as list } from '../../../../contract/fleet/devices'
import { overview } from '../../../../contract/overview/monitor'
import { project } from '../../../../contract/accounts/projects'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { addManyDevices } from '../../../../tests/support/many-devices'
import { insertRevokedRelease } from '../../../../tests/support/revoked-release'
import { devices } from '../../schema/devices'
import { deviceFlaps } from '../../schema/state-changes'
import { listDevicesNeedingAttention } from './attention.repository'
import { maintainCounts } from '../state/counts'
import { insertDevice } from '../repository'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

type Row = typeof devices.$inferInsert
const away = new Date(0)

/** A device for each reason, some with two, and some without any. */
const devicesByName = (now: Date, runsRevoked: Partial<Row>): Record<string, Partial<Row>> => ({
  hot: { healthStatus: 'critical' },
  'hot and failed': { healthStatus: 'critical', updateState: 'failed' },
  'hot once, away': { healthStatus: 'critical', lastSeenAt: away, contact: 'offline' },
  failed: { updateState: 'rolled_back' },
  'failed, away': { updateState: 'failed', lastSeenAt: away, contact: 'offline' },
  // Not reviewed since.
  'away of late': { lastSeenAt: away, contact: 'online' },
  'back of late': { lastSeenAt: now, contact: 'offline' },
  withdrawn: runsRevoked,
  'withdrawn and warm': { ...runsRevoked, healthStatus: 'warning' },
  'withdrawn, away': { ...runsRevoked, lastSeenAt: away, contact: 'offline' },
  'withdrawn and hot': { ...runsRevoked, healthStatus: 'critical' },
  'withdrawn and failed': { ...runsRevoked, updateState: 'failed' },
  warm: { healthStatus: 'warning' },
  'warm and failed': { healthStatus: 'warning', updateState: 'timed_out' },
  new: { lifecycle: 'pending' },
  'off and hot': { lifecycle: 'disabled', healthStatus: 'critical' },
  'off and withdrawn': { ...runsRevoked, lifecycle: 'disabled' },
  well: {},
})

const setUp = async () => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const now = api.deps.clock()
  const installedReleaseId = await insertRevokedRelease(api.db, projectId, now)
  const runsRevoked = { installedReleaseId, installedName: 'Firmware 2', installedVersion: 2, installedAt: now }
  for (const [name, own] of Object.entries(devicesByName(now, runsRevoked))) {
    const usual = { hardwareModel: 'gw', lifecycle: 'active', enrollment: 'single', lastSeenAt: now, contact: 'online' } as const
    await insertDevice(api.db, { projectId, name, pollingIntervalS: 60, ...usual, ...own }, now)
  }
  await api.db.update(devices).set({ contact: 'online' }).where(eq(devices.name, 'away of late'))
  await maintainCounts(api.deps)
  const read = async (query: Record<string, string | number>) =>
    (await api.call(list, { projectId }, { as: ann, query: { sort: 'name', limit: 100, ...query } })).body
  const named = async (query: Record<string, string>) => (await read(query)).devices.map(({ name }) => name)
  return {
    ann,
    projectId,
    now,
    installedReleaseId,
    read,
    named,
    seen: async () => (await api.call(overview, { projectId }, { as: ann })).body,
  }
}

it('lists the devices that need attention, all or those for one reason, as Monitor has them', async () => {
  const { ann, projectId, installedReleaseId, read, named, seen } = await setUp()
  const { attention, counts } = await seen()
  const expected = {
    critical: ['hot', 'hot and failed', 'withdrawn and hot'],
    failed: ['failed', 'failed, away', 'warm and failed', 'withdrawn and failed'],
    revoked: ['withdrawn', 'withdrawn and warm', 'withdrawn, away'],
    offline: ['away of late', 'hot once, away'],
    warning: ['warm'],
    pending: ['new'],
  }
  const shown = attention.map(({ kind, device_name }) => [kind, device_name])
  for (const kind of attentionKinds) {
    expect(await named({ attention: kind }), kind).toEqual(expected[kind])
    expect(shown.flatMap(([one, name]) => (one === kind ? [name] : [])).toSorted(), kind).toEqual(expected[kind])
  }
  const any = await read({ attention: 'any' })
  expect(any.total).toBe(14)
  expect(any.total).toBe(counts.attention)
  expect(any.devices.map(({ name }) => name)).toEqual(Object.values(expected).flat().toSorted())
  expect(any.facets.health.reduce((sum, { count }) => sum + count, 0)).toBe(14)
  expect(await named({ attention: 'any', connectivity: 'offline' })).toEqual([
    'away of late',
    'failed, away',
    'hot once, away',
    'withdrawn, away',
  ])
  expect(await named({ attention: 'failed', sort: '-name' })).toEqual(expected.failed.toReversed())
  const card = await api.call(project, { projectId }, { as: ann })
  expect(card.body.counts.devices_attention).toBe(14)
  // All that run it, whatever else is wrong with them.
  const running = await read({ release_id: installedReleaseId })
  expect(running.devices.map(({ name, installed_revoked }) => [name, installed_revoked])).toEqual(
    Object.keys(devicesByName(new Date(), {}))
      .filter((name) => name.includes('withdrawn'))
      .toSorted()
      .map((name) => [name, { reason: 'It leaks a key' }]),
  )
  expect(running.facets.connectivity.reduce((sum, { count }) => sum + count, 0)).toBe(6)
})

it('lists more devices than are named one by one, in the order and with the pages of the list', async () => {
  const { ann, projectId, read, named } = await setUp()
  await addManyDevices(api, { projectId, count: 1100, trustedKeys: [], lifecycle: 'pending' })
  await maintainCounts(api.deps)
  const first = await read({ attention: 'any' })
  expect(first.total).toBeNull()
  expect(first.facets.connectivity.reduce((sum, { count }) => sum + count, 0)).toBe(1114)
  expect(first.devices.slice(0, 4).map(({ name }) => name)).toEqual(['away of late', 'failed', 'failed, away', 'hot'])
  const second = await read({ attention: 'any', cursor: first.next_cursor ?? '' })
  expect(second.devices[0]?.name).toBe('pending 000094')
  expect(await named({ attention: 'warning' })).toEqual(['warm'])
  // A bulk change takes the same devices.
  const body = {
    selection: { filter: { attention: 'any' as const } },
    expected_count: 1114,
    action: 'disable_updates' as const,
  }
  expect((await api.call(bulkChangeDevices, { projectId }, { as: ann, body })).status).toBe(202)
})

it('names the first by id of the offline devices with the same last contact', async () => {
  const projectId = await api.project({ ownerId: (await api.person()).id })
  const now = api.deps.clock()
  const usual = { hardwareModel: 'gw', lifecycle: 'active', enrollment: 'single', lastSeenAt: away, contact: 'offline' } as const
  for (let n = 0; n < 12; n += 1) await insertDevice(api.db, { projectId, name: `gw-${n}`, pollingIntervalS: 60, ...usual }, now)
  await maintainCounts(api.deps)
  const rows = await api.db.select({ id: devices.id }).from(devices).where(eq(devices.projectId, projectId))
  const ids = rows.map(({ id }) => id).toSorted()
  for (const most of [1, 3, 11]) {
    const found = await api.db.transaction((tx) => listDevicesNeedingAttention({ tx, projectId, pollS: 60, now }, most))
    expect(found.map(({ device }) => device.id)).toEqual(ids.slice(0, most))
  }
})

it('lists and counts the devices that flap', async () => {
  const { projectId, now, named, seen } = await setUp()
  const ids = Object.fromEntries(
    (await api.db.select().from(devices).where(eq(devices.projectId, projectId))).map((one) => [one.name, one.id]),
  )
  const add = async (name: string, kind: 'connectivity' | 'health', ago: number) => {
    const at = new Date(now.getTime() - ago * 3_600_000).toISOString()
    await api.db.insert(deviceFlaps).values({
      deviceId: ids[name] ?? '',
      projectId,
      kind,
      times: sql`array_fill(${at}::timestamptz, array[4])` as never,
    })
  }
  for (const [name, kind, ago] of [
    ['well', 'connectivity', 1],
    ['well', 'health', 1],
    ['warm', 'health', 2],
    ['hot', 'health', 7],
    ['off and hot', 'connectivity', 1],
  ] as const)
    await add(name, kind, ago)
  const { flapping, counts } = await seen()
  expect(flapping.map(({ device_name, kind }) => `${device_name} ${kind}`).toSorted()).toEqual([
    'warm health',
    'well connectivity',
    'well health',
  ])
  expect(counts.flapping).toBe(2)
  expect(await named({ attention: 'flapping' })).toEqual(['warm', 'well'])
})

it('offers what a person can do next about each reason', async () => {
  const { projectId, now, installedReleaseId, seen } = await setUp()
  const later = new Date(now.getTime() + 3_600_000)
  const own = {
    projectId,
    hardwareModel: 'gw',
    lifecycle: 'active',
    enrollment: 'single',
    lastSeenAt: now,
    contact: 'online',
  } as const
  const failed = { ...own, updateState: 'failed', pollingIntervalS: 60 } as const
  await insertDevice(api.db, { ...failed, name: 'quarantined', quarantineUntil: later }, now)
  await insertDevice(api.db, { ...failed, name: 'paused', updatesPausedUntil: later }, now)
  await insertDevice(api.db, { ...failed, name: 'failed by DDI', protocol: 'ddi' }, now)
  const { attention } = await seen()
  expect(Object.fromEntries(attention.map(({ device_name, action }) => [device_name, action]))).toEqual({
    hot: 'check_now',
    'hot and failed': 'check_now',
    quarantined: 'clear_quarantine',
    paused: 'resume_updates',
    'failed by DDI': null,
    failed: 'open_logs',
    'failed, away': 'open_logs',
    'warm and failed': 'open_logs',
    'away of late': 'open_logs',
    'hot once, away': 'open_logs',
    warm: 'check_now',
    new: 'accept',
    'withdrawn and hot': 'check_now',
    'withdrawn and failed': 'open_logs',
    withdrawn: 'open_release',
    'withdrawn and warm': 'open_release',
    'withdrawn, away': 'open_release',
  })
  expect(attention.find(({ device_name }) => device_name === 'withdrawn')).toMatchObject({
    kind: 'revoked',
    release_id: installedReleaseId,
    text: 'Runs Firmware 2, which is revoked: It leaks a key',
  })
})
