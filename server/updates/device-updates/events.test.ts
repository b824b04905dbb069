import { and, eq } from 'drizzle-orm'
import fc from 'fast-check'
import { ulid } from 'ulid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as wire from '../../../contract/device/endpoints'
import type { DeviceEvent } from '../../../contract/device/api'
import * as deviceLifecycle from '../../../contract/fleet/device-lifecycle'
import * as deviceUpdates from '../../../contract/updates/device-updates'
import * as contract from '../../../contract/fleet/devices'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { eventOf } from '../../../tests/support/devices'
import type { Person } from '../../../tests/support/people'
import { devices } from '../../fleet/schema/devices'
import { releases } from '../schema/releases'
import { rolloutDevices, rollouts } from '../schema/rollouts'
import { issueDeviceToken } from '../../fleet/devices/device-token.repository'
import { newRow } from '../../core/database/row'
import '../../../tests/support/fixed-seed'

let api: TestApi
let ann: Person
let projectId: string
let releaseId: string
let rolloutId: string
let deviceId: string
let token: string

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  const now = api.deps.clock()
  const release = {
    ...newRow(now),
    projectId,
    name: 'Kernel',
    version: 7,
    displayVersion: '0.7',
    type: 'file' as const,
    hardwareModels: ['gw'],
    hooks: { pre_install: null, post_install: null, post_reboot: null },
    reboot: 'never' as const,
    state: 'released' as const,
  }
  await api.db.insert(releases).values(release)
  const rollout = {
    ...newRow(now),
    projectId,
    releaseId: release.id,
    number: 1,
    name: 'Kernel #1',
    target: { everything: true },
    membership: 'frozen' as const,
    maxConcurrent: 10,
    retries: 3,
    onFailure: 'halt' as const,
    priority: 50,
    requiresApproval: false,
    phase: 'filling' as const,
    previewHash: '0'.repeat(64),
    startedAt: now,
  }
  await api.db.insert(rollouts).values(rollout)
  releaseId = release.id
  rolloutId = rollout.id
})
afterAll(() => api.close())

beforeEach(async () => {
  const now = api.deps.clock()
  deviceId = ulid()
  const facts = { hardwareModel: 'gw', lifecycle: 'active' as const, enrollment: 'group' as const }
  await api.db.insert(devices).values({ ...newRow(now), id: deviceId, projectId, name: deviceId, ...facts })
  token = await issueDeviceToken(api.db, { projectId, deviceId }, now)
  const update = { projectId, rolloutId, deviceId, name: deviceId, wave: 1, state: 'offered' as const, since: now }
  await api.db.insert(rolloutDevices).values(update)
})

const about = (sequence: number, type: DeviceEvent['type'], facts: Partial<DeviceEvent> = {}) =>
  eventOf({ sequence, type, rollout_id: rolloutId, release_id: releaseId, version: 7, ...facts })
const send = async (...events: DeviceEvent[]) => {
  const reply = await api.call(wire.updateEvents, {}, { as: token, body: { events } })
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}
const mine = () => and(eq(rolloutDevices.rolloutId, rolloutId), eq(rolloutDevices.deviceId, deviceId))
const state = async () => (await api.db.select().from(rolloutDevices).where(mine()))[0]?.state
const shown = async () => (await api.call(contract.device, { deviceId }, { as: ann })).body
const history = async () => {
  const reply = await api.call(deviceUpdates.deviceUpdateEvents, { deviceId }, { as: ann, query: { limit: 200 } })
  return reply.body.update_events
}

const story = () => [
  about(1, 'update_accepted'),
  about(2, 'download_started'),
  about(3, 'download_progress', { progress_percent: 50, bytes_done: 500, bytes_total: 1000 }),
  about(4, 'download_completed'),
  about(5, 'verification_passed'),
  about(6, 'install_started'),
  about(7, 'install_completed'),
  about(8, 'reboot_requested'),
  about(9, 'booted', { slot: 'b' }),
  about(10, 'update_confirmed'),
]

describe('an update', () => {
  it('follows the reports of its device to the end, and the device runs the release', async () => {
    for (const event of story().slice(0, 3)) await send(event)
    expect(await state()).toBe('downloading')
    expect((await shown()).update).toMatchObject({ state: 'downloading', progress_percent: 50, bytes_done: 500, version: 7 })
    expect(
      await send(
        ...story()
          .slice(3)
          .map((event) => ({ ...event })),
      ),
    ).toMatchObject({ accepted: 7, rejected: [], abort: false })
    const device = await shown()
    expect(device.update).toMatchObject({ state: 'succeeded', display_version: '0.7' })
    expect(device.installed).toMatchObject({
      release_id: releaseId,
      version: 7,
      display_version: '0.7',
      slot: 'b',
      confirmed: true,
    })
  })

  it('ends the same whatever the order and the batches in which the reports arrive, some of them twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(story(), { minLength: 10 }), fc.integer({ min: 1, max: 4 }), async (events, size) => {
        await api.db.update(rolloutDevices).set({ state: 'offered' }).where(mine())
        await api.db.update(devices).set({ eventSequence: 0 }).where(eq(devices.id, deviceId))
        const fresh = events.map((event) => ({ ...event, event_id: crypto.randomUUID() }))
        for (let at = 0; at < fresh.length; at += size) {
          const batch = fresh.slice(at, at + size)
          await send(...batch)
          expect(await send(...batch)).toMatchObject({ accepted: 0, duplicates: batch.length })
        }
        expect(await state()).toBe('succeeded')
      }),
      { numRuns: 15 },
    )
  })

  it('does not move back on a late report, but stores it', async () => {
    await send(about(5, 'verification_failed', { reason_code: 'hash_mismatch', message: 'other bytes' }))
    await send(about(3, 'download_progress', { progress_percent: 70 }))
    expect(await state()).toBe('failed')
    expect((await shown()).update).toMatchObject({ error_code: 'hash_mismatch', error_text: 'other bytes' })
    expect((await history()).map(({ type, from_state, to_state }) => [type, from_state, to_state])).toEqual([
      ['download_progress', 'failed', 'failed'],
      ['verification_failed', 'offered', 'failed'],
    ])
  })

  it('reports the rollback, and keeps the reason of the failure', async () => {
    await send(about(1, 'install_started'), about(2, 'post_reboot_failed', { reason_code: 'post_reboot_failed' }))
    await send(about(3, 'rollback_started'), about(4, 'rollback_completed', { reason_code: 'internal' }))
    expect((await shown()).update).toMatchObject({ state: 'rolled_back', error_code: 'post_reboot_failed' })
  })

  it('ends when it was aborted', async () => {
    await api.db.update(rolloutDevices).set({ state: 'downloading', abortAsked: true }).where(mine())
    expect((await send(about(1, 'download_progress'))).abort).toBe(true)
  })

  it('puts its device into quarantine after three failures of one release', async () => {
    for (const attempt of [1, 2, 3]) {
      expect((await shown()).quarantine).toBe(null)
      await api.db.update(rolloutDevices).set({ state: 'offered', attempt }).where(mine())
      await send(about(attempt, 'update_failed', { reason_code: 'install_failed' }))
    }
    expect((await shown()).quarantine).toMatchObject({ reason: '3 failed attempts of one release' })
    const freed = await api.call(deviceLifecycle.clearQuarantine, { deviceId }, { as: ann })
    expect([freed.status, freed.body.quarantine]).toEqual([200, null])
  })
})

describe('a report', () => {
  it('T-18: of a rollout that this device is not in is refused for good', async () => {
    const event = about(1, 'update_confirmed', { rollout_id: ulid() })
    expect(await send(event)).toMatchObject({ accepted: 0, rejected: [{ event_id: event.event_id, code: 'unknown_rollout' }] })
    expect(await history()).toEqual([])
  })

  it('that the device has installed another release than that of the rollout is refused for good', async () => {
    const event = about(1, 'update_confirmed', { release_id: ulid() })
    expect(await send(event)).toMatchObject({ accepted: 0, rejected: [{ event_id: event.event_id, code: 'other_release' }] })
    expect(await state()).toBe('offered')
    expect(await send(about(2, 'update_confirmed', { release_id: releaseId }))).toMatchObject({ accepted: 1 })
    expect(await state()).toBe('succeeded')
  })

  it('without a rollout is stored and changes no state', async () => {
    expect(await send(eventOf({ sequence: 1, type: 'install_started' }))).toMatchObject({ accepted: 1 })
    expect(await state()).toBe('offered')
  })

  it('is listed by its type and by the time of its arrival', async () => {
    await send(about(1, 'download_started'), about(2, 'download_completed'))
    const firstTwo = api.deps.clock()
    api.advance(3600)
    await send(about(3, 'verification_failed', { reason_code: 'hash_mismatch' }))
    const typesOf = async (query: object) => {
      const { body } = await api.call(deviceUpdates.deviceUpdateEvents, { deviceId }, { as: ann, query })
      return body.update_events.map(({ type }) => type)
    }
    const half = `${new Date(firstTwo.getTime() + 1_800_000).toISOString().slice(0, 19)}Z`
    expect(await typesOf({ from: half })).toEqual(['verification_failed'])
    expect(await typesOf({ to: half })).toEqual(['download_completed', 'download_started'])
    expect(await typesOf({ type: 'download_started' })).toEqual(['download_started'])
    expect(await typesOf({ type: ['download_started', 'verification_failed'] })).toEqual([
      'verification_failed',
      'download_started',
    ])
    expect(await typesOf({ type: 'no_such_type' })).toEqual([])
  })

  it('restarts its sequence at 1 after the device lost its state and enrolled again', async () => {
    await send(about(900, 'download_started'))
    await api.db.update(devices).set({ eventSequence: 0 }).where(eq(devices.id, deviceId))
    await send(about(1, 'install_started'))
    expect(await state()).toBe('installing')
  })
})
