import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectAuditLog } from '../../../../contract/accounts/audit'
import { cancelRollout } from '../../../../contract/updates/rollout-steps'
import { rolloutTimeline } from '../../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { createRolloutFixture } from '../../../../tests/support/rollout-fixture'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

it('the running updates of a rollout that was cancelled without them can still be stopped, once', async () => {
  const ines = await api.person({ name: 'Ines' })
  const play = await createRolloutFixture(api, ines, await api.project({ ownerId: ines.id }), 2)
  const { id: rolloutId } = await play.start()
  const [id = ''] = play.ids
  await play.things.ask(id)
  const report = async () => (await play.things.report(id, rolloutId, { type: 'install_progress' })).abort
  const cancel = (mode: 'stop_new' | 'abort_all', reason?: string) =>
    api.call(cancelRollout, { rolloutId }, { as: ines, body: { mode, ...(reason !== undefined && { reason }) } })
  expect((await cancel('stop_new')).body.state).toBe('cancelling')
  expect(await report()).toBe(false)
  expect((await cancel('stop_new')).status).toBe(409)

  const stopped = await cancel('abort_all', 'It bricks them')
  expect([stopped.status, stopped.body.state, stopped.body.state_reason], stopped.text).toEqual([
    200,
    'cancelling',
    'It bricks them',
  ])
  expect(await report()).toBe(true)
  const { entries: log } = (await api.call(projectAuditLog, { projectId: play.projectId }, { as: ines })).body
  expect(log[0]).toMatchObject({ action: 'rollout.cancel', reason: 'It bricks them' })
  const { entries } = (await api.call(rolloutTimeline, { rolloutId }, { as: ines })).body
  expect(entries.at(-1)).toMatchObject({ kind: 'updates.stopped', text: 'Devices are asked to stop: It bricks them', by: 'Ines' })
  const again = await cancel('abort_all')
  expect([again.status, again.error.message]).toEqual([409, 'The devices of this rollout have been asked to stop already'])

  await play.things.report(id, rolloutId, { type: 'update_cancelled' })
  await play.tick()
  expect((await play.read(rolloutId)).state).toBe('cancelled')
  expect((await cancel('abort_all')).status).toBe(409)
})
