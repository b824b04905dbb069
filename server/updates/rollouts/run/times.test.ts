import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MaintenanceWindow, Wave } from '../../../../contract/updates/rollout-plans'
import { pauseRollout, resumeRollout } from '../../../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { createRolloutFixture, waves } from '../../../../tests/support/rollout-fixture'
import { devices } from '../../../fleet/schema/devices'

// The table of "Times that people set" in docs/operating.md, walked: each time is an hour ahead when something happens to it.

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const hour = 3600
const inHours = (hours: number) => new Date(api.deps.clock().getTime() + hours * hour * 1000)
const stampOf = (at: Date) => `${at.toISOString().slice(0, 19)}+00:00`

const zone = 'Europe/Berlin'
const wallClock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone })
const days: MaintenanceWindow['days'] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

const scene = async () => {
  const ines = await api.person({ name: 'Ines' })
  const projectId = await api.project({ ownerId: ines.id })
  return createRolloutFixture(api, ines, projectId, 2)
}
type Scene = Awaited<ReturnType<typeof scene>>
/** `isReached`: whether the time has done what it was set for. */
type Running = { rolloutId: string; isReached: () => Promise<boolean> }

const isState = (play: Scene, rolloutId: string, state: string) => async () => (await play.read(rolloutId)).state === state
const isOffered = (play: Scene) => async () => 'envelope' in (await play.things.ask(play.ids[0] ?? ''))

const soaking: Wave[] = waves(50, 100).map((wave) => ({ ...wave, gate: { ...wave.gate, min_sample: 1, soak_s: hour } }))

const times: Record<string, (play: Scene) => Promise<Running>> = {
  'the start time': async (play) => {
    const { id } = await play.start({ start_at: stampOf(inHours(1)) })
    return { rolloutId: id, isReached: isState(play, id, 'running') }
  },
  'the end time': async (play) => {
    const { id } = await play.start({ end_at: stampOf(inHours(1)) })
    return { rolloutId: id, isReached: isState(play, id, 'expired') }
  },
  'the soak time': async (play) => {
    const { id } = await play.start({ waves: soaking })
    await play.round()
    await play.tick()
    return { rolloutId: id, isReached: async () => (await play.read(id)).current_wave === 2 }
  },
  'the pause of a device': async (play) => {
    const [device = ''] = play.ids
    await api.db
      .update(devices)
      .set({ updatesPausedUntil: inHours(1) })
      .where(eq(devices.id, device))
    const { id } = await play.start()
    return { rolloutId: id, isReached: isOffered(play) }
  },
  'the maintenance window': async (play) => {
    const window = { days, from: wallClock.format(inHours(1)), to: wallClock.format(inHours(4)), zone }
    const { id } = await play.start({ window })
    return { rolloutId: id, isReached: isOffered(play) }
  },
}

/** Passes, with the rest of the time in two steps: not reached before its end, and reached after it. */
const passes = async (play: Scene, { isReached }: Running, seconds: number) => {
  // The window opens with the minute, and the others with the second.
  api.advance(seconds - 60)
  await play.tick()
  expect(await isReached()).toBe(false)
  api.advance(61)
  await play.tick()
  expect(await isReached()).toBe(true)
}

const moveTo = (at: string) => api.advance((Date.parse(at) - api.deps.clock().getTime()) / 1000)

type Happening = { before?: () => void; then: (play: Scene, running: Running) => Promise<void> }
const happenings: Record<string, Happening> = {
  'nothing happens': { then: (play, running) => passes(play, running, hour) },
  'the rollout is paused and resumed after it': {
    then: async (play, { rolloutId, isReached }) => {
      const params = { rolloutId }
      await api.call(pauseRollout, params, { as: play.as, body: { reason: 'Lunch' } })
      api.advance(hour + 1)
      await play.tick()
      await api.call(resumeRollout, params, { as: play.as, body: {} })
      await play.tick()
      expect(await isReached()).toBe(true)
    },
  },
  'the server is stopped until after it': {
    then: async (play, { isReached }) => {
      api.advance(2 * hour)
      await play.tick()
      expect(await isReached()).toBe(true)
    },
  },
  'the clock of the server goes back by half an hour': {
    then: async (play, running) => {
      api.advance(1800)
      await play.tick()
      api.advance(-1800)
      await play.tick()
      await passes(play, running, hour)
    },
  },
  'an hour is doubled': { before: () => moveTo('2026-10-24T23:30:00Z'), then: (play, running) => passes(play, running, hour) },
  'an hour is skipped': { before: () => moveTo('2027-03-28T00:30:00Z'), then: (play, running) => passes(play, running, hour) },
}

describe.each(Object.entries(happenings))('%s', (_, { before, then }) => {
  it.each(Object.entries(times))('and %s comes once, at its time', async (__, set) => {
    before?.()
    const play = await scene()
    await then(play, await set(play))
  })
})

it('a time that a clock ahead of the others has reached is not taken back when the clock is right again', async () => {
  for (const name of ['the start time', 'the end time', 'the soak time']) {
    const play = await scene()
    const { isReached } = (await times[name]?.(play)) ?? { isReached: async () => false }
    api.advance(hour + 1)
    await play.tick()
    api.advance(-hour - 1)
    await play.tick()
    expect(await isReached(), name).toBe(true)
  }
})
