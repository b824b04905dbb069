import { eq, inArray, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attentionKinds, devices as listEndpoint, unusedLifecycles } from '../../../../contract/fleet/devices'
import { overview } from '../../../../contract/overview/monitor'
import { project as projectEndpoint } from '../../../../contract/accounts/projects'
import type { Tx } from '../../../core/database/tx'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { repetitions } from '../../../../tests/support/counts'
import '../../../../tests/support/fixed-seed'
import { untilOneWaits } from '../../../../tests/support/locks'
import { insertRevokedRelease } from '../../../../tests/support/revoked-release'
import type { Person } from '../../../../tests/support/people'
import { deviceCounts, tagCountChanges } from '../../schema/counts'
import { devices, deviceTags } from '../../schema/devices'
import { tags } from '../../schema/tags'
import { latestMetrics } from '../../schema/telemetry'
import { insertTag } from '../../tags/repository'
import { connectivityOf } from './connectivity'
import { maintainCounts, verifyCounts } from './counts'
import { findWrongCounts } from './counts.repository'
import { countDevicesOfPlan, insertDevice, updateLastSeen } from '../repository'
import { updateDeviceTags } from '../tags.repository'

let api: TestApi
let ann: Person
let projectId: string
beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  await insertRevokedRelease(api.db, projectId, api.deps.clock(), 'revoked')
})
afterAll(() => api.close())

let made = 0
const addDevice = async (lifecycle: 'active' | 'pending') =>
  insertDevice(
    api.db,
    { projectId, name: `Counted ${++made}`, hardwareModel: 'gw-imx8m', lifecycle, enrollment: 'single' },
    api.deps.clock(),
  )

const trustedKeys = ['a', 'b']
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), lifecycle: fc.constantFrom('active' as const, 'pending' as const) }),
  fc.record({
    kind: fc.constant('change' as const),
    which: fc.nat(),
    set: fc.constantFrom(
      { lifecycle: 'active' as const },
      { lifecycle: 'decommissioned' as const },
      { healthStatus: 'critical' as const },
      { healthStatus: 'healthy' as const },
      { updateState: 'failed' as const },
      { updateState: null },
      { installedVersion: 3, installedDisplayVersion: '1.3' },
      { installedVersion: null, installedDisplayVersion: null },
      { hardwareModel: 'cam-rk3566', installedReleaseId: 'r' },
      { installedReleaseId: 'revoked' },
      { installedReleaseId: null },
      { trustedKeys },
      { protocol: 'ddi' as const },
      { secureBootBundleId: 'b', secureBootState: 'open' },
      { secureBootBundleId: 'b', secureBootState: 'closed' },
      { pollingIntervalS: 60 },
      { pollingIntervalS: null },
      { notes: 'no change of any count' },
    ),
  }),
  fc.record({ kind: fc.constant('change-all' as const), health: fc.constantFrom('warning' as const, 'healthy' as const) }),
  fc.record({ kind: fc.constant('seen' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('restore' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('tag' as const), which: fc.nat(), tags: fc.subarray([0, 1, 2]) }),
  fc.record({
    kind: fc.constant('metrics' as const),
    which: fc.nat(),
    metrics: fc.uniqueArray(fc.tuple(fc.constantFrom('app.delay', 'app.load'), fc.constantFrom('s', 'ms', null)), {
      selector: ([name]) => name,
    }),
  }),
  fc.record({ kind: fc.constant('maintain' as const) }),
  fc.record({ kind: fc.constant('drop-tag' as const) }),
  fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(50, 200, 5000, 12_000) }),
  fc.record({ kind: fc.constant('interval' as const), seconds: fc.constantFrom(60, 3600) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const tagNames = ['one', 'two', 'three']
const tagIdOf = async (n: number) => {
  const name = tagNames[n] ?? ''
  const [known] = await api.db.select({ id: tags.id }).from(tags).where(eq(tags.name, name))
  return known?.id ?? insertTag(api.db, projectId, { name, colour: 'sky' }, api.deps.clock())
}
const pick = async (which: number) => {
  const all = await api.db.select({ id: devices.id }).from(devices).orderBy(devices.id)
  return all.length === 0 ? undefined : all[which % all.length]?.id
}

const take = async (one: Step): Promise<void> => {
  const now = api.deps.clock()
  if (one.kind === 'add') return void (await addDevice(one.lifecycle))
  if (one.kind === 'maintain') return void (await maintainCounts(api.deps))
  if (one.kind === 'wait') return api.advance(one.seconds)
  if (one.kind === 'interval')
    return void (await api.db.execute(
      sql`update projects set settings = jsonb_set(settings, '{polling_interval_s}', ${String(one.seconds)}::jsonb) where id = ${projectId}`,
    ))
  if (one.kind === 'drop-tag') return void (await api.db.delete(tags).where(eq(tags.name, 'two')))
  if (one.kind === 'change-all') return void (await api.db.update(devices).set({ healthStatus: one.health }))
  const id = await pick(one.which)
  if (id === undefined) return
  const own = eq(devices.id, id)
  if (one.kind === 'change') await api.db.update(devices).set(one.set).where(own)
  else if (one.kind === 'seen') await updateLastSeen(api.db, [[id, now]])
  else if (one.kind === 'delete') await api.db.update(devices).set({ deletedAt: now }).where(own)
  else if (one.kind === 'restore') await api.db.update(devices).set({ deletedAt: null }).where(own)
  else if (one.kind === 'metrics') {
    await measure(api.db, id, one.metrics)
  } else if (one.kind === 'remove') await api.db.delete(devices).where(own)
  else {
    const chosen: { id: string }[] = []
    for (const n of one.tags) chosen.push({ id: await tagIdOf(n) })
    await api.db.transaction(async (tx) => {
      await tx.select().from(devices).where(own).for('update')
      await updateDeviceTags(tx, { projectId, deviceId: id }, chosen)
    })
  }
}

const sizesOf = (values: readonly string[]) =>
  Object.fromEntries([...new Set(values)].map((value) => [value, values.filter((other) => other === value).length]))
const listed = (facet: readonly { value: string; count: number }[]) =>
  Object.fromEntries(facet.map(({ value, count }) => [value, count]))

/** Compares what people are shown with the rows themselves. */
const expectExact = async () => {
  expect(await findWrongCounts(api.db)).toEqual([])
  ann = { ...ann, ...(await api.session(ann.id)) }
  const now = api.deps.clock()
  const { body: project } = await api.call(projectEndpoint, { projectId }, { as: ann })
  const pollS = project.settings.polling_interval_s
  const rows = (await api.db.select().from(devices)).filter(({ deletedAt }) => deletedAt === null)
  const used = rows.filter(({ lifecycle }) => !unusedLifecycles.includes(lifecycle))
  const connectivity = used.map((row) => connectivityOf(row.lastSeenAt, row.pollingIntervalS ?? pollS, now))
  const { body: list, text } = await api.call(listEndpoint, { projectId }, { as: ann })
  expect(list.facets, text).toBeDefined()
  expect(list.total).toBe(rows.length)
  expect(listed(list.facets.connectivity)).toEqual(sizesOf(connectivity))
  expect(listed(list.facets.version)).toEqual(sizesOf(used.flatMap((row) => row.installedDisplayVersion ?? [])))
  const ids = rows.map(({ id }) => id)
  const tagged = await api.db
    .select({ name: tags.name })
    .from(deviceTags)
    .innerJoin(tags, eq(tags.id, deviceTags.tagId))
    .where(inArray(deviceTags.deviceId, ids))
  expect(listed(list.facets.tag)).toEqual(sizesOf(tagged.map(({ name }) => name)))
  const { body: seen } = await api.call(overview, { projectId }, { as: ann })
  const silent = sizesOf(connectivity)
  expect(seen.counts).toMatchObject({
    total: used.length,
    online: silent.online ?? 0,
    late: silent.late ?? 0,
    offline: silent.offline ?? 0,
  })
  expect(seen.attention.length).toBe(Math.min(20, seen.counts.attention))
  const ranks = seen.attention.map(({ kind }) => attentionKinds.indexOf(kind))
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
  expect(project.counts.devices_online).toBe(silent.online ?? 0)
  expect(project.counts.devices_attention).toBe(seen.counts.attention)
  expect(await countDevicesOfPlan(api.db, projectId)).toBe(used.length)
}

it('the kept counts equal the devices after any changes, one by one and at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 }), async (rounds) => {
      for (const steps of rounds) {
        // Those of one round at once: some fail by the other's deletion or deadlock, which must leave no count behind.
        await Promise.allSettled(steps.map(take))
        expect(await findWrongCounts(api.db)).toEqual([])
      }
      await expectExact()
    }),
    { numRuns: repetitions(15, 300) },
  )
})

const measure = (tx: Tx, deviceId: string, metrics: [string, string | null][]) => {
  const values = { metrics, readings: [] }
  return tx
    .insert(latestMetrics)
    .values({ projectId, deviceId, ...values })
    .onConflictDoUpdate({ target: latestMetrics.deviceId, set: values })
}
const mark = (tx: Tx, deviceId: string, deletedAt: Date | null) =>
  tx.update(devices).set({ deletedAt }).where(eq(devices.id, deviceId))

it.each(['metrics', 'deletion'] as const)(
  'counts are exact after a deletion and a restoration during which the metrics change, with the %s first',
  async (first) => {
    const { id } = await addDevice('active')
    await measure(api.db, id, [['app.delay', 's']])
    for (const [unit, deletedAt] of [
      ['ms', api.deps.clock()],
      ['min', null],
    ] as const) {
      const changes = [(tx: Tx) => measure(tx, id, [['app.delay', unit]]), (tx: Tx) => mark(tx, id, deletedAt)] as const
      const [open, late] = first === 'metrics' ? changes : [changes[1], changes[0]]
      const { done } = await api.db.transaction(async (tx) => {
        await open(tx)
        const done = Promise.resolve(late(api.db))
        await untilOneWaits(api.db)
        return { done }
      })
      await done
      expect(await findWrongCounts(api.db)).toEqual([])
    }
  },
)

it('the counts of a deleted project are removed', async () => {
  await addDevice('active')
  const other = await api.project({ ownerId: (await api.person()).id })
  await insertDevice(
    api.db,
    { projectId: other, name: 'Gone', hardwareModel: 'gw-imx8m', lifecycle: 'active', enrollment: 'single' },
    api.deps.clock(),
  )
  await api.db.execute(sql`delete from projects where id = ${other}`)
  expect(await findWrongCounts(api.db)).toEqual([])
  await maintainCounts(api.deps)
  expect(await api.db.select().from(deviceCounts).where(eq(deviceCounts.projectId, other))).toEqual([])
})

it('wrong counts are found, logged and counted anew', async () => {
  await addDevice('active')
  await verifyCounts(api.deps)
  const before = api.lines.length
  await api.db.delete(deviceCounts)
  await api.db.insert(tagCountChanges).values({ tagId: await tagIdOf(0), n: 7 })
  expect((await findWrongCounts(api.db)).length).toBeGreaterThan(1)
  await verifyCounts(api.deps)
  expect(await findWrongCounts(api.db)).toEqual([])
  expect(api.lines.slice(before).join()).toContain('the kept counts of devices were wrong')
  await expectExact()
})
