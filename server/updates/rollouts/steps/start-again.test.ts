import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRollout } from '../../../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { createRolloutFixture } from '../../../../tests/support/rollout-fixture'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

it('a start that is repeated with its key is answered as the first time, and with another key it is refused', async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const { make } = await createRolloutFixture(api, ines, projectId, 3)
  const { id: rolloutId } = await make()
  const start = (key: string) =>
    api.call(startRollout, { rolloutId }, { as: ines, body: {}, headers: { 'idempotency-key': key } })
  const first = await start('one')
  expect([first.status, first.body.state]).toEqual([200, 'running'])
  const again = await start('one')
  expect([again.status, again.body]).toEqual([200, first.body])
  expect((await start('two')).status).toBe(409)
})
