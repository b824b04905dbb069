import { eq, inArray, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pauseRollout } from '../../../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { repetitions } from '../../../../tests/support/counts'
import '../../../../tests/support/fixed-seed'
import { fleet } from '../../../../tests/support/fleet'
import { createRolloutFixture, waves } from '../../../../tests/support/rollout-fixture'
import { openDatabase } from '../../../core/database/open'
import { devices } from '../../../fleet/schema/devices'
import { rolloutCounts, rolloutShards } from '../../schema/rollout-counts'
import { rolloutDevices } from '../../schema/rollouts'
import { activeStates } from './counts'
import { countActive, countStates, findWrongCounts } from './counts.repository'
import { maintainRolloutCounts, verifyRolloutCounts } from './maintain-counts'
import { loadOfShard, shardCount } from './shards'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const scene = async (count: number) => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  return createRolloutFixture(api, ines, projectId, count)
}
type Scene = Awaited<ReturnType<typeof scene>>

const activeOf = async (rolloutId: string) => {
  const rows = await api.db
    .select({ offeredAt: rolloutDevices.offeredAt })
    .from(rolloutDevices)
    .where(sql`${eq(rolloutDevices.rolloutId, rolloutId)} and ${inArray(rolloutDevices.state, activeStates)}`)
  return rows.length
}

const which = fc.nat()
const step = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('ask' as const), which }), weight: 6 },
  {
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      which,
      type: fc.constantFrom('update_accepted', 'update_confirmed', 'update_failed', 'rollback_completed', 'update_deferred'),
    }),
    weight: 6,
  },
  { arbitrary: fc.record({ do: fc.constant('offers' as const), from: which }), weight: 2 },
  fc.record({ do: fc.constant('disable' as const), which, lifecycle: fc.constantFrom('active' as const, 'disabled' as const) }),
  fc.record({ do: fc.constant('remove' as const), which }),
  fc.record({ do: fc.constant('tick' as const), seconds: fc.constantFrom(1, 200, 4000) }),
  fc.record({ do: fc.constant('maintain' as const) }),
  // What a killed process leaves: nothing of its transaction.
  fc.record({ do: fc.constant('die' as const), which }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const take = async ({ ids, things, tick }: Scene, rolloutId: string, one: Step): Promise<void> => {
  if (one.do === 'maintain') return maintainRolloutCounts(api.deps)
  if (one.do === 'tick') {
    api.advance(one.seconds)
    return tick()
  }
  if (one.do === 'offers') return void (await Promise.all(ids.map((id) => things.ask(id).catch(() => null))))
  const id = ids[one.which % ids.length] ?? ''
  const [row] = await api.db.select({ id: devices.id }).from(devices).where(eq(devices.id, id))
  if (!row) return
  if (one.do === 'ask') return void (await things.ask(id))
  if (one.do === 'report') return void (await things.report(id, rolloutId, { type: one.type }))
  if (one.do === 'disable') return void (await api.db.update(devices).set({ lifecycle: one.lifecycle }).where(eq(devices.id, id)))
  if (one.do === 'remove') return void (await api.db.delete(devices).where(eq(devices.id, id)))
  const died = api.db.transaction(async (tx) => {
    await tx.update(rolloutDevices).set({ state: 'installing' }).where(eq(rolloutDevices.deviceId, id))
    throw new Error('killed')
  })
  await expect(died).rejects.toThrow('killed')
}

it('F-16: the counts of a rollout are exact after every change of its updates', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const play = await scene(8)
      const { id: rolloutId } = await play.start({ waves: waves(40, 100), max_concurrent: 3 })
      for (const one of steps) {
        await take(play, rolloutId, one)
        expect(await findWrongCounts(api.db)).toEqual([])
        expect(await countActive(api.db, rolloutId)).toBe(await activeOf(rolloutId))
      }
      const rows = await api.db.select().from(rolloutDevices).where(eq(rolloutDevices.rolloutId, rolloutId))
      const counted = await countStates(api.db, [rolloutId])
      expect(counted.reduce((sum, { n }) => sum + n, 0)).toBe(rows.length)
      for (const { wave, state, n } of counted.filter(({ setAside }) => !setAside))
        expect(n).toBe(rows.filter((row) => row.wave === wave && row.state === state).length)
    }),
    { numRuns: repetitions(6, 40) },
  )
})

it('wrong counts of a rollout are found, logged and counted anew', async () => {
  const play = await scene(5)
  const { id: rolloutId } = await play.start()
  await play.round(play.ids.slice(0, 2))
  await play.things.ask(play.ids[2] ?? '')
  await maintainRolloutCounts(api.deps)
  await verifyRolloutCounts(api.deps)
  const errors = () => api.lines.filter((line) => line.includes('the kept counts of rollouts were wrong'))
  expect(errors()).toEqual([])
  await api.db.update(rolloutCounts).set({ n: 40 }).where(eq(rolloutCounts.rolloutId, rolloutId))
  await api.db.update(rolloutShards).set({ n: 40 }).where(eq(rolloutShards.rolloutId, rolloutId))
  expect(await play.things.ask(play.ids[3] ?? '')).toHaveProperty('envelope')
  await verifyRolloutCounts(api.deps)
  expect(errors()).toHaveLength(1)
  expect(await findWrongCounts(api.db)).toEqual([])
  expect((await play.read(rolloutId)).counts).toMatchObject({ targeted: 5, succeeded: 2, running: 2, waiting: 1 })
})

it('the parts of the limits of all shards add up to the limits', () => {
  const limits = fc.record({
    maxConcurrent: fc.integer({ min: 1, max: 100_000 }),
    startRatePerMin: fc.option(fc.integer({ min: 1, max: 20_000 })),
  })
  fc.assert(
    fc.property(limits, (rollout) => {
      const loads = Array.from({ length: shardCount(rollout) }, (_, shard) =>
        loadOfShard(rollout, { shard, active: 0, started: 0 }),
      )
      expect(loads.reduce((sum, one) => sum + one.maxConcurrent, 0)).toBe(rollout.maxConcurrent)
      expect(loads.every((one) => one.maxConcurrent > 0 && one.ratePerMinute !== 0)).toBe(true)
      const rates = loads.map(({ ratePerMinute }) => ratePerMinute)
      if (rollout.startRatePerMin === null) expect(rates.every((rate) => rate === null)).toBe(true)
      else expect(rates.reduce((sum: number, rate) => sum + (rate ?? 0), 0)).toBe(rollout.startRatePerMin)
    }),
  )
})

it.each([
  { title: 'fewer slots than shards', limits: { max_concurrent: 5, start_rate_per_min: null } },
  { title: 'more slots than shards', limits: { max_concurrent: 19, start_rate_per_min: null } },
  { title: 'a start rate', limits: { max_concurrent: 19, start_rate_per_min: 7 } },
])('devices that ask at once never get more offers than a rollout allows: $title', async ({ limits }) => {
  const play = await scene(60)
  const { id: rolloutId } = await play.start(limits)
  const waiting = new Set(play.ids)
  const running: string[] = []
  const least = Math.min(limits.max_concurrent, limits.start_rate_per_min ?? Infinity)
  for (let round = 0; round < 4; round++) {
    // Devices that end their update meanwhile make room.
    const ending = running.splice(0, 3)
    const asked = [...waiting]
    const [offers] = await Promise.all([
      Promise.all(asked.map((id) => play.things.ask(id))),
      Promise.all(ending.map((id) => play.things.install(id, rolloutId))),
    ])
    const offered = asked.filter((_, n) => 'envelope' in (offers[n] ?? {}))
    for (const id of offered) waiting.delete(id)
    running.push(...offered)
    if (limits.start_rate_per_min !== null) expect(offered.length).toBeLessThanOrEqual(limits.start_rate_per_min)
    if (round === 0) expect(offered).toHaveLength(least)
    expect(await activeOf(rolloutId)).toBe(running.length)
    expect(running.length).toBeLessThanOrEqual(limits.max_concurrent)
    api.advance(61)
  }
})

it('after a rollout was paused no offer is made, also none that began before', async () => {
  const play = await scene(40)
  const { id: rolloutId } = await play.start({ max_concurrent: 30 })
  // Other connections than that of the pause, which would otherwise wait for the first of them.
  const others = openDatabase({ url: api.config.databaseUrl ?? '', onError: () => {} })
  const things = fleet({ ...api, db: others.db }, play.projectId)
  const asks = play.ids.map((id) => things.ask(id))
  await Promise.race(asks)
  const paused = await api.call(pauseRollout, { rolloutId }, { as: play.as, body: {} })
  expect(paused.body.state).toBe('paused')
  const then = await activeOf(rolloutId)
  const offers = await Promise.all(asks)
  expect(offers.filter((offer) => 'envelope' in offer)).toHaveLength(then)
  expect(await activeOf(rolloutId)).toBe(then)
  await others.close()
})
