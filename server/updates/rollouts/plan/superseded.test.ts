import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { releases as list } from '../../../../contract/updates/releases'
import { cancelRollout, rollBackRollout } from '../../../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { createRolloutFixture, waves } from '../../../../tests/support/rollout-fixture'
import { releases } from '../../schema/releases'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const setUp = async () => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const made = await createRolloutFixture(api, ann, projectId, 2)
  const listed = async () => {
    const as = { ...ann, ...(await api.session(ann.id)) }
    return (await api.call(list, { projectId }, { as })).body.releases
  }
  return { ...made, ann, listed }
}

it('a release that reached its targets supersedes older ones of its type that are for no other hardware', async () => {
  const { maker, release, start, tick, round, listed, ids } = await setUp()
  const released = (id: string, type: 'file' | 'rootfs' = 'file') =>
    api.db.update(releases).set({ state: 'released', type }).where(eq(releases.id, id))
  const make = async (version: number, models?: string[]) =>
    (await maker.signed({ version, bytes: randomBytes(8), ...(models && { models }) })).id
  const [same, wider, image] = [release.id, await make(3, ['gw', 'cam']), await make(4)]
  await released(same)
  await released(wider)
  await released(image, 'rootfs')
  await start({ target: { device_ids: ids.slice(0, 1) } }, await make(5))
  await tick()
  expect(await round(ids.slice(0, 1))).toBe(1)
  await tick()
  api.advance(120)
  await tick()
  const all = await listed()
  const stateOf = (wanted: string) => all.find(({ id }) => id === wanted)?.state
  expect([stateOf(same), stateOf(wider), stateOf(image)]).toEqual(['superseded', 'released', 'released'])
})

it.each([
  ['cancelled', cancelRollout, { mode: 'stop_new', reason: 'Not now' }],
  ['rolled_back', rollBackRollout, { reason: 'It leaks' }],
] as const)('a release says that its last rollout was %s', async (state, endpoint, body) => {
  const { ann, release, start, tick, listed } = await setUp()
  const { id: rolloutId } = await start({ waves: waves(100) })
  await tick()
  const ended = await api.call(endpoint, { rolloutId }, { as: ann, body } as never)
  expect(ended.status, ended.text).toBe(200)
  await tick()
  const summary = (await listed()).find(({ id }) => id === release.id)?.rollout_summary
  expect(summary).toMatchObject({ state, active_rollout_id: null })
})
