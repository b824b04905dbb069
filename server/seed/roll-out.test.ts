import { afterAll, beforeAll, expect, it } from 'vitest'
import { continueRollout } from '../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createRolloutFixture } from '../../tests/support/rollout-fixture'
import { demoWaves } from './roll-out'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

it('the rollout of the demo soaks for hours, then waits for a person, and ends only after a person continues it', async () => {
  const ines = await api.person({ name: 'Ines' })
  const play = await createRolloutFixture(api, ines, await api.project({ ownerId: ines.id }), 10)
  const { id: rolloutId } = await play.start({ waves: demoWaves })
  const settle = async (seconds: number) => {
    await play.round()
    await play.tick()
    api.advance(seconds)
    await play.tick()
  }
  for (let minute = 0; minute < 10; minute++) await settle(60)
  expect(await play.read(rolloutId)).toMatchObject({ state: 'running', current_wave: 2, counts: { succeeded: 6, waiting: 4 } })
  await settle(3 * 3600)
  expect(await play.read(rolloutId)).toMatchObject({ state: 'running', current_wave: 2 })
  // Requests in between keep the session alive: an unused one ends after twelve hours.
  for (let half = 0; half < 4; half++) {
    await settle(6 * 3600)
    expect(await play.read(rolloutId)).toMatchObject({ state: 'waiting_for_user', ended_at: null })
  }
  await api.call(continueRollout, { rolloutId }, { as: ines })
  for (let minute = 0; minute < 4; minute++) await settle(61)
  expect(await play.read(rolloutId)).toMatchObject({ state: 'completed', counts: { succeeded: 10 } })
})
