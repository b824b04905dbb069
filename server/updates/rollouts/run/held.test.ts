import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as lifecycle from '../../../../contract/fleet/device-lifecycle'
import { updateDecision } from '../../../../contract/updates/device-updates'
import { device as readDevice, updateDevice } from '../../../../contract/fleet/devices'
import type { Gate } from '../../../../contract/updates/rollout-plans'
import { previewRollout } from '../../../../contract/updates/rollout-plans'
import { release } from '../../../../contract/updates/releases'
import {
  cancelRollout,
  pauseRollout,
  resumeRollout,
  retryFailed,
  rollBackRollout,
  startRollout,
} from '../../../../contract/updates/rollout-steps'
import * as contract from '../../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { fleet } from '../../../../tests/support/fleet'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { releases } from '../../schema/releases'
import { tickRollouts } from '../tick'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const gate: Gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 1, soak_s: 0, then: 'continue' }
const tick = () => tickRollouts(api.deps)
const inAnHour = () => new Date(api.deps.clock().getTime() + 3_600_000)
const stampOf = (at: Date) => `${at.toISOString().slice(0, 19)}+00:00`

/** A started rollout of one wave. */
const scene = async (count: number) => {
  const ines = await api.person({ name: 'Ines' })
  const projectId = await api.project({ ownerId: ines.id })
  const maker = await createReleaseFixture(api, ines, projectId)
  const { id: olderId } = await maker.signed({ version: 1, bytes: randomBytes(8) })
  const { id: releaseId } = await maker.signed({ version: 2, bytes: randomBytes(8) })
  const things = fleet(api, projectId)
  const ids = await things.add({ count, trustedKeys: [maker.key.publicKey.fingerprint] })
  await api.db.update(releases).set({ state: 'released' }).where(eq(releases.id, olderId))
  const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate }] }
  const { preview_hash } = (await api.call(previewRollout, { releaseId }, { as: ines, body: plan })).body
  const { id: rolloutId } = (await api.call(contract.createRollout, { releaseId }, { as: ines, body: { ...plan, preview_hash } }))
    .body
  expect((await api.call(startRollout, { rolloutId }, { as: ines })).status).toBe(200)
  const read = async () => (await api.call(contract.rollout, { rolloutId }, { as: ines })).body
  const leftOut = async () => {
    const { body } = await api.call(contract.rolloutDevices, { rolloutId }, { as: ines, query: { group: 'left_out' } })
    return body.devices.map(({ device_id, state, reason }) => [device_id, state, reason])
  }
  const decision = async (deviceId: string) => {
    const { body } = await api.call(updateDecision, { deviceId }, { as: ines })
    return body.checks.find(({ result }) => result === 'fail')?.text
  }
  const take = async (id: string) => {
    const offer = await things.ask(id)
    if (!('envelope' in offer)) throw new Error(`no offer: ${offer.text}`)
    await things.install(id, offer.rolloutId)
  }
  const change = async (deviceId: string, body: { updates_enabled?: boolean; updates_paused_until?: string }) => {
    const { revision } = (await api.call(readDevice, { deviceId }, { as: ines })).body
    const answer = await api.call(updateDevice, { deviceId }, { as: ines, body, headers: { 'if-match': `"${revision}"` } })
    expect(answer.status, answer.text).toBe(200)
  }
  const remove = async (deviceId: string) => {
    const { revision } = (await api.call(readDevice, { deviceId }, { as: ines })).body
    const answer = await api.call(lifecycle.deleteDevice, { deviceId }, { as: ines, headers: { 'if-match': `"${revision}"` } })
    expect(answer.status, answer.text).toBe(204)
  }
  return { ines, ids, olderId, things, rolloutId, read, leftOut, decision, take, change, remove }
}
type Scene = Awaited<ReturnType<typeof scene>>

type Step = typeof lifecycle.disableDevice | typeof lifecycle.enableDevice | typeof lifecycle.decommissionDevice
const step = async ({ ines }: Scene, endpoint: Step, id: string) =>
  expect((await api.call(endpoint, { deviceId: id }, { as: ines })).status).toBe(200)

const ways: [string, string, (play: Scene, id: string) => Promise<void>][] = [
  ['disabled', 'The device is disabled', (play, id) => step(play, lifecycle.disableDevice, id)],
  ['decommissioned', 'The device is decommissioned', (play, id) => step(play, lifecycle.decommissionDevice, id)],
  ['deleted', 'The device was deleted', (play, id) => play.remove(id)],
  ['switched off', 'Updates of this device are switched off', (play, id) => play.change(id, { updates_enabled: false })],
]

it.each(ways)(
  'a waiting device that is %s leaves the counts with the reason, and the rollout ends without it',
  async (how, text, act) => {
    const play = await scene(3)
    const [gone = '', ...others] = play.ids
    await act(play, gone)
    await tick()
    expect((await play.read()).counts).toMatchObject({ targeted: 3, waiting: 2 })
    expect(await play.leftOut()).toEqual([[gone, 'held', text]])
    if (how !== 'deleted') expect(await play.decision(gone)).toBe(text)
    for (const id of others) await play.take(id)
    await tick()
    const { entries } = (await api.call(contract.rolloutTimeline, { rolloutId: play.rolloutId }, { as: play.ines })).body
    expect(await play.read()).toMatchObject({ state: 'completed', with_failures: false, counts: { succeeded: 2 } })
    expect(entries.at(-1)?.text).toBe('2 of 3 devices have it, 1 left out')
    expect(await play.leftOut()).toEqual([[gone, 'cancelled', text]])
  },
)

it('a device that is enabled again waits again, and is offered the release even before the next tick', async () => {
  const play = await scene(3)
  const [first = '', second = ''] = play.ids
  for (const id of [first, second]) await step(play, lifecycle.disableDevice, id)
  await tick()
  expect(await play.things.ask(first)).toMatchObject({ reason: 'disabled', text: 'The device is disabled' })
  expect((await play.read()).counts).toMatchObject({ targeted: 3, waiting: 1 })
  for (const id of [first, second]) await step(play, lifecycle.enableDevice, id)
  await play.take(first)
  expect((await play.read()).counts).toMatchObject({ succeeded: 1, waiting: 1 })
  await tick()
  expect((await play.read()).counts).toMatchObject({ succeeded: 1, waiting: 2 })
  expect(await play.leftOut()).toEqual([])
})

it('a device that is deleted while it updates is not running any more, and can finish after it was restored', async () => {
  const play = await scene(2)
  const [id = ''] = play.ids
  await play.things.ask(id)
  await play.things.report(id, play.rolloutId, { type: 'update_accepted' })
  await play.remove(id)
  await tick()
  expect((await play.read()).counts).toMatchObject({ running: 0, failed: 0, waiting: 1 })
  expect((await api.call(lifecycle.restoreDevice, { deviceId: id }, { as: play.ines })).status).toBe(200)
  await play.things.report(id, play.rolloutId, { type: 'update_confirmed' })
  await tick()
  expect((await play.read()).counts).toMatchObject({ succeeded: 1, waiting: 1 })
})

it.each([
  ['cancelling', 'cancelled', cancelRollout, { reason: 'It leaks', mode: 'abort_all' }],
  ['rolling_back', 'rolled_back', rollBackRollout, { reason: 'It leaks memory' }],
] as const)(
  'a rollout that is %s does not wait for the end of an update whose device was deleted',
  async (state, end, endpoint, body) => {
    const play = await scene(2)
    const [id = ''] = play.ids
    await play.things.ask(id)
    await play.things.report(id, play.rolloutId, { type: 'update_accepted' }, { type: 'install_started' })
    const answer = await api.call(endpoint, { rolloutId: play.rolloutId }, { as: play.ines, body } as never)
    expect([answer.status, (await play.read()).state], answer.text).toEqual([200, state])
    await tick()
    expect((await play.read()).state).toBe(state)
    await play.remove(id)
    await tick()
    expect(await play.read()).toMatchObject({ state: end, counts: { running: 0, failed: 0 } })
  },
)

it('a rollout all of whose devices are left out updates none and supersedes no older release', async () => {
  const play = await scene(1)
  for (const id of play.ids) await step(play, lifecycle.disableDevice, id)
  await tick()
  expect(await play.read()).toMatchObject({ state: 'completed', counts: { targeted: 1, succeeded: 0 } })
  expect((await api.call(release, { releaseId: play.olderId }, { as: play.ines })).body.state).toBe('released')
})

it('while a rollout offers nothing, its waiting devices have the reason of the rollout', async () => {
  const play = await scene(2)
  const [first = '', second = ''] = play.ids
  const reasons = async () => {
    const { body } = await api.call(contract.rolloutDevices, { rolloutId: play.rolloutId }, { as: play.ines })
    return body.devices.map(({ reason }) => reason)
  }
  await play.change(first, { updates_paused_until: stampOf(inAnHour()) })
  await play.things.ask(first)
  expect(await reasons()).toEqual(['Updates of this device are paused', 'Gets it at its first check-in'])
  const paused = await api.call(pauseRollout, { rolloutId: play.rolloutId }, { as: play.ines, body: { reason: 'Lunch' } })
  expect(paused.status, paused.text).toBe(200)
  await play.things.ask(second)
  expect(await reasons()).toEqual(['Lunch', 'Lunch'])
})

it('a failed device that a person retries waits for its next check-in, without the reason of the failure', async () => {
  const play = await scene(1)
  const [id = ''] = play.ids
  await play.things.ask(id)
  await play.things.install(id, play.rolloutId, 'boot_failed')
  await tick()
  const params = { rolloutId: play.rolloutId }
  expect((await api.call(retryFailed, params, { as: play.ines })).status).toBe(200)
  const body = { reason: 'The power supply was replaced' }
  expect((await api.call(resumeRollout, params, { as: play.ines, body })).status).toBe(200)
  const { body: listed } = await api.call(contract.rolloutDevices, params, { as: play.ines })
  expect(listed.devices).toMatchObject([{ state: 'queued', reason: 'Gets it at its next check-in' }])
})

it('a paused device without a rollout is told so, and until when', async () => {
  const play = await scene(1)
  const [id = ''] = play.ids
  await play.take(id)
  expect(await play.things.ask(id)).toMatchObject({ reason: 'up_to_date' })
  const until = inAnHour()
  await play.change(id, { updates_paused_until: stampOf(until) })
  expect(await play.things.ask(id)).toEqual({ reason: 'paused', text: 'Updates of this device are paused', until })
})
