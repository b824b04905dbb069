import { afterAll, beforeAll, expect, it } from 'vitest'
import { rolloutDevices } from '../../../../contract/updates/rollouts'
import * as steps from '../../../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { createRolloutFixture } from '../../../../tests/support/rollout-fixture'
import { formatTimestamp } from '../../../core/timestamps'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const inSeconds = (seconds: number) => formatTimestamp(new Date(api.deps.clock().getTime() + seconds * 1000))

/** A rollout to three devices whose end is in ten minutes. */
const scene = async () => {
  const ines = await api.person({ name: 'Ines' })
  const play = await createRolloutFixture(api, ines, await api.project({ ownerId: ines.id }), 3)
  const updates = async (rolloutId: string) => {
    const { body } = await api.call(rolloutDevices, { rolloutId }, { as: ines })
    return Object.fromEntries(body.devices.map(({ device_id, state, reason }) => [device_id, [state, reason]]))
  }
  return { ...play, ines, updates }
}

it('updates that run when their rollout reaches its end still end, and so does one that is deferred after it', async () => {
  const play = await scene()
  const { id: rolloutId } = await play.start({ end_at: inSeconds(600) })
  const [silent = '', deferring = '', waiting = ''] = play.ids
  for (const id of [silent, deferring]) {
    expect(await play.things.ask(id)).toHaveProperty('envelope')
    await play.things.report(id, rolloutId, { type: 'update_accepted' }, { type: 'install_started' })
  }
  api.advance(601)
  await play.tick()
  expect((await play.read(rolloutId)).state).toBe('expired')
  expect(await play.updates(rolloutId)).toEqual({
    [silent]: ['installing', null],
    [deferring]: ['installing', null],
    [waiting]: ['cancelled', 'The rollout has ended'],
  })
  await play.things.report(deferring, rolloutId, { type: 'update_deferred', reason_code: 'user_deferred' })
  await play.tick()
  expect((await play.updates(rolloutId))[deferring]).toEqual(['cancelled', 'The rollout has ended'])
  api.advance(7200)
  await play.tick()
  expect((await play.updates(rolloutId))[silent]).toEqual(['timed_out', 'No report while installing'])
})

it('a rollout whose end has passed is neither started nor submitted', async () => {
  const play = await scene()
  const { id: rolloutId } = await play.make({ end_at: inSeconds(600) })
  api.advance(601)
  for (const step of [steps.startRollout, steps.submitRollout] as const) {
    const refused = await api.call(step, { rolloutId }, { as: play.ines, body: {} })
    expect([refused.status, refused.error.message]).toEqual([
      409,
      'The end time of this rollout has passed. Create a new one instead',
    ])
  }
  expect((await play.read(rolloutId)).state).toBe('draft')
})
