import { sql } from 'drizzle-orm'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { readOf } from '../../../tests/support/blocks'
import { repetitions } from '../../../tests/support/counts'
import { fleet } from '../../../tests/support/fleet'
import { addManyDevices } from '../../../tests/support/many-devices'
import { createRolloutFixture, waves } from '../../../tests/support/rollout-fixture'
import { insertTag } from '../../fleet/tags/repository'
import { runBulkChanges } from './run/bulk-changes'
import { maintainRolloutCounts } from './offer/maintain-counts'
import { tickRollouts } from './tick'

type Scene = Awaited<ReturnType<typeof createScene>>

const sizes = [repetitions(1000, 6000), repetitions(8000, 50_000)] as const
let scenes: [Scene, Scene]

const createScene = async (count: number) => {
  const api: TestApi = await createTestApi()
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const play = await createRolloutFixture(api, ann, projectId, 1)
  await addManyDevices(api, { projectId, count, trustedKeys: [play.maker.key.publicKey.fingerprint] })
  const tagId = await insertTag(api.db, projectId, { name: 'field', colour: 'sky' }, api.deps.clock())
  await api.db.execute(sql`
    insert into device_tags (project_id, device_id, tag_id) select project_id, id, ${tagId} from devices where project_id = ${projectId}`)
  await api.ownerDb.execute(sql`vacuum analyze`)
  const tagged = { tags_any: ['field'] }
  const { id: rolloutId } = await play.start({
    target: tagged,
    waves: waves(50, 100),
    membership: 'dynamic',
    max_concurrent: count,
  })
  await runBulkChanges(api.deps)
  const { rows } = await api.db.execute<{ id: string }>(sql`
    select device_id as id from rollout_devices where rollout_id = ${rolloutId} and wave = 1 order by 1 limit 50`)
  const ids = rows.map(({ id }) => id)
  // As sequences of reports begin: none of these devices has reported before.
  const things = fleet(api, projectId)
  for (const id of ids.slice(0, 40)) await things.ask(id)
  // The review of all devices that follows a start.
  for (let n = 0; n <= count / 1000 + 1; n++) await tickRollouts(api.deps)
  await maintainRolloutCounts(api.deps)
  await api.ownerDb.execute(sql`vacuum analyze`)
  return { api, play, things, rolloutId, tagged, left: ids.slice(40) }
}

beforeAll(async () => {
  scenes = [await createScene(sizes[0]), await createScene(sizes[1])]
})
afterAll(() => Promise.all(scenes.map(({ api }) => api.close())))

const works: Record<string, (scene: Scene) => Promise<unknown>> = {
  'an offer': async ({ things, left }) => expect(await things.ask(left.pop() ?? '')).toHaveProperty('envelope'),
  'a tick of a dynamic rollout': ({ api }) => tickRollouts(api.deps),
  'the page of a rollout': ({ play, rolloutId }) => play.read(rolloutId),
}

const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const query = vi.spyOn(Client.prototype, 'query')
  await work()
  const sent = query.mock.calls.length
  query.mockRestore()
  return sent
}

it.each(Object.keys(works))('%s takes as many statements and blocks with eight times the targets', async (name) => {
  const work = works[name]!
  const [small, large] = scenes
  const statements = [await statementsOf(() => work(small)), await statementsOf(() => work(large))]
  expect(statements[1]).toBe(statements[0])
  const { blocks: few } = await readOf(small.api, () => work(small))
  const { blocks: many } = await readOf(large.api, () => work(large))
  expect(few).toBeGreaterThan(0)
  // A level more of each index that is used.
  expect(many, `${few} blocks in the small rollout`).toBeLessThanOrEqual(few * 1.2 + 12)
})

it('a preview by tag reads not much more than one of all devices', async () => {
  const { api, play, tagged } = scenes[1]
  const { blocks: all } = await readOf(api, () => play.preview({ target: { everything: true } }))
  const { blocks: byTag } = await readOf(api, () => play.preview({ target: tagged }))
  expect(byTag, `${all} blocks for all devices`).toBeLessThanOrEqual(all * 1.5)
})
