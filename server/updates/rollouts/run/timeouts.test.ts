import { and, eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clientOf } from '../../../../contract/fleet/hardware-models'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { repetitions } from '../../../../tests/support/counts'
import '../../../../tests/support/fixed-seed'
import { createRolloutFixture } from '../../../../tests/support/rollout-fixture'
import { getProjectSettings } from '../../../accounts/projects/plan-and-settings.repository'
import { devices } from '../../../fleet/schema/devices'
import { rolloutDevices } from '../../schema/rollouts'
import { activeStates } from '../offer/counts'
import { deadlineOf } from './deadlines'
import { findRollout } from '../rows/rollout-rows.repository'
import { timeOutUpdates } from './timeouts'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const ago = fc.integer({ min: 0, max: 30_000 })
const running = fc.record({
  state: fc.constantFrom(...activeStates),
  since: ago,
  offered: ago,
  grown: fc.option(ago),
  pollingIntervalS: fc.constantFrom(null, 30, 60, 1800),
  protocol: fc.constantFrom('teasel' as const, 'ddi' as const),
})

it('a tick times out exactly the updates whose time limit has passed, whatever their state and times', async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const play = await createRolloutFixture(api, ines, projectId, 12)
  const { id: rolloutId } = await play.start()
  const settings = await getProjectSettings(api.db, projectId)
  await fc.assert(
    fc.asyncProperty(fc.array(running, { minLength: 12, maxLength: 12 }), async (facts) => {
      const now = api.deps.clock()
      const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
      const late: string[] = []
      for (const [n, { state, pollingIntervalS, protocol, ...times }] of facts.entries()) {
        const deviceId = play.ids[n] ?? ''
        const offeredAt = before(Math.max(times.offered, times.since))
        const since = before(times.since)
        const grownAt = times.grown === null ? null : before(Math.min(times.grown, times.since))
        await api.db.update(devices).set({ pollingIntervalS, protocol }).where(eq(devices.id, deviceId))
        const own = and(eq(rolloutDevices.rolloutId, rolloutId), eq(rolloutDevices.deviceId, deviceId))
        await api.db.update(rolloutDevices).set({ state, since, offeredAt, grownAt, attempt: 99 }).where(own)
        const limits = {
          protocol,
          pollingIntervalS: pollingIntervalS ?? settings.polling_interval_s,
          updateTimeoutS: settings.update_timeout_s,
          confirmWithinS: clientOf(settings.hardware_models, 'gw').confirm_within_s,
        }
        const deadline = deadlineOf({ state, since, offeredAt, grownAt }, limits)
        if (deadline && deadline <= now) late.push(deviceId)
      }
      await api.db.transaction(async (tx) => {
        const row = await findRollout(tx, rolloutId)
        if (row) await timeOutUpdates(tx, row, settings, now)
      })
      const rows = await api.db.select().from(rolloutDevices).where(eq(rolloutDevices.rolloutId, rolloutId))
      const ended = rows.filter(({ state }) => !activeStates.includes(state)).map(({ deviceId }) => deviceId)
      expect(ended.toSorted()).toEqual(late.toSorted())
    }),
    { numRuns: repetitions(10, 100) },
  )
})
