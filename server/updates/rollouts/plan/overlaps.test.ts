import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cancelRollout, pauseRollout } from '../../../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { createRolloutFixture, waves } from '../../../../tests/support/rollout-fixture'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

it('a preview names the other open rollouts in which its devices wait or are updated, also drafts and paused ones', async () => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const play = await createRolloutFixture(api, ann, projectId, 3)
  const plan = { target: { everything: true }, waves: waves(100) }
  expect((await play.preview(plan)).overlaps).toEqual([])

  const open = await play.start()
  const [first = ''] = play.ids
  expect(await play.round([first])).toBe(1)
  const newer = await play.maker.signed({ version: 3, bytes: randomBytes(64) })
  const others = async () => (await play.preview(plan, newer.id)).overlaps
  expect(await others()).toEqual([{ rollout_id: open.id, name: open.name, count: 2 }])

  const draft = await play.make({}, newer.id)
  expect(await others()).toEqual([
    { rollout_id: draft.id, name: draft.name, count: 3 },
    { rollout_id: open.id, name: open.name, count: 2 },
  ])
  const reason = { reason: 'It was made twice' }
  const params = { rolloutId: open.id }
  expect((await api.call(pauseRollout, params, { as: ann, body: reason })).status).toBe(200)
  expect((await others()).length).toBe(2)
  for (const rolloutId of [open.id, draft.id]) {
    const body = { ...reason, mode: 'abort_all' } as const
    expect((await api.call(cancelRollout, { rolloutId }, { as: ann, body })).status).toBe(200)
    await play.tick()
  }
  expect(await others()).toEqual([])
})
