import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as deviceUpdates from '../../../../contract/updates/device-updates'
import * as rolloutSteps from '../../../../contract/updates/rollout-steps'
import type { Gate } from '../../../../contract/updates/rollout-plans'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { createRolloutFixture } from '../../../../tests/support/rollout-fixture'
import { devices } from '../../../fleet/schema/devices'
import { rolloutDevices } from '../../schema/rollouts'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const gate: Gate = { min_success_percent: 50, max_failure_percent: 50, min_sample: 1, soak_s: 0, then: 'continue' }
const half = [{ kind: 'percent' as const, value: 100, gate }]

/** A rollout to devices of which the first is silent while it installs, until its update times out. */
const silent = async (count: number, waves = half) => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const play = await createRolloutFixture(api, ines, projectId, count)
  const { id: rolloutId } = await play.start({ waves, retries: 0 })
  const [late = '', ...others] = play.ids
  expect(await play.things.ask(late)).toHaveProperty('envelope')
  await play.things.report(late, rolloutId, { type: 'update_accepted' }, { type: 'install_started' })
  await play.round(others)
  api.advance(7201)
  await play.tick()
  const update = async (id = rolloutId) => {
    const own = and(eq(rolloutDevices.rolloutId, id), eq(rolloutDevices.deviceId, late))
    return (await api.db.select().from(rolloutDevices).where(own))[0]
  }
  /** What its next check-in reports. */
  const checkIn = (confirmed = true) =>
    api.db
      .update(devices)
      .set({ installedReleaseId: play.release.id, installedVersion: 2, installedConfirmed: confirmed })
      .where(eq(devices.id, late))
  return { ...play, rolloutId, late, update, checkIn }
}

it('a device that confirms the release after its update has timed out has it, and the rollout no longer counts it as failed', async () => {
  const play = await silent(3)
  expect(await play.update()).toMatchObject({ state: 'timed_out', errorCode: 'timed_out_installing' })
  expect(await play.read(play.rolloutId)).toMatchObject({ state: 'completed', with_failures: true, counts: { failed: 1 } })
  await play.things.report(play.late, play.rolloutId, { type: 'update_confirmed' })
  expect(await play.update()).toMatchObject({ state: 'succeeded', errorCode: null, errorText: null, reason: null })
  expect(await play.read(play.rolloutId)).toMatchObject({
    state: 'completed',
    with_failures: false,
    counts: { succeeded: 3, failed: 0 },
  })
})

it('a device whose last reports were lost has the release once it says that it runs it', async () => {
  const play = await silent(3)
  await play.checkIn(false)
  await play.tick()
  expect((await play.update())?.state).toBe('timed_out')
  await play.checkIn()
  await play.tick()
  expect(await play.update()).toMatchObject({ state: 'succeeded', errorCode: null, evidence: { by: 'agent', matches: 'target' } })
  expect((await play.read(play.rolloutId)).counts).toMatchObject({ succeeded: 3, failed: 0 })
  const reply = await api.call(deviceUpdates.deviceUpdateEvents, { deviceId: play.late }, { as: play.as, query: { limit: 1 } })
  expect(reply.body.update_events).toMatchObject([{ type: 'update_confirmed', from_state: 'timed_out', to_state: 'succeeded' }])
})

it('a rollout that ended more than 90 days ago keeps its result', async () => {
  const play = await silent(3)
  api.advance(91 * 86_400)
  await play.checkIn()
  await play.tick()
  expect((await play.update())?.state).toBe('timed_out')
})

it.each(['a report', 'a check-in'])(
  'a device whose late success is known by %s is no longer in quarantine for the release',
  async (how) => {
    const play = await silent(3)
    const until = new Date(api.deps.clock().getTime() + 86_400_000)
    const quarantine = (quarantineReleaseId: string) =>
      api.db
        .update(devices)
        .set({ quarantineUntil: until, quarantineReason: '1 failed attempt of one release', quarantineReleaseId })
        .where(eq(devices.id, play.late))
    await quarantine(play.release.id)
    if (how === 'a report') await play.things.report(play.late, play.rolloutId, { type: 'update_confirmed' })
    else {
      await play.checkIn()
      await play.tick()
    }
    const [device] = await api.db.select().from(devices).where(eq(devices.id, play.late))
    expect(device).toMatchObject({
      updateState: 'succeeded',
      quarantineUntil: null,
      quarantineReason: null,
      quarantineReleaseId: null,
    })
  },
)

it('a report of a device at work changes nothing of an update that has timed out', async () => {
  const play = await silent(3)
  await play.things.report(play.late, play.rolloutId, { type: 'reboot_requested' }, { type: 'booted' })
  expect((await play.update())?.state).toBe('timed_out')
})

it('the gate of an open wave counts a late success, and one that halted stays halted until a person resumes it', async () => {
  const play = await silent(3, [{ kind: 'percent', value: 100, gate: { ...gate, max_failure_percent: 0, soak_s: 3600 } }])
  expect((await play.read(play.rolloutId)).state).toBe('halted')
  await play.checkIn()
  await play.tick()
  expect(await play.read(play.rolloutId)).toMatchObject({ state: 'halted', counts: { succeeded: 3, failed: 0 } })
  const body = { reason: 'The device was only slow' }
  const resumed = await api.call(rolloutSteps.resumeRollout, { rolloutId: play.rolloutId }, { as: play.as, body })
  expect(resumed.status, resumed.text).toBe(200)
  await play.tick()
  expect(await play.read(play.rolloutId)).toMatchObject({
    state: 'running',
    waves: [{ failure_percent: 0, success_percent: 100 }],
  })
})

it('a device that got the release by another rollout is no late success of the one in which it timed out', async () => {
  const play = await silent(3)
  const { id: again } = await play.start({ target: { device_ids: [play.late] }, waves: half })
  expect(await play.round([play.late])).toBe(1)
  await play.tick()
  expect(await play.update(again)).toMatchObject({ state: 'succeeded' })
  expect((await play.update())?.state).toBe('timed_out')
})
