import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Target } from '../../../../contract/updates/rollout-plans'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { addManyDevices } from '../../../../tests/support/many-devices'
import { createRolloutFixture, waves } from '../../../../tests/support/rollout-fixture'
import { workOfStatements } from '../../../../tests/support/statement-work'
import { insertTag } from '../../../fleet/tags/repository'

// More than one slice of the devices that are inserted at once.
const count = 4000

let api: TestApi
let play: Awaited<ReturnType<typeof createRolloutFixture>>

const tagAll = async (projectId: string) => {
  const tagId = await insertTag(api.db, projectId, { name: 'field', colour: 'sky' }, api.deps.clock())
  await insertTag(api.db, projectId, { name: 'lab', colour: 'sky' }, api.deps.clock())
  await api.db.execute(sql`
    insert into device_tags (project_id, device_id, tag_id) select project_id, id, ${tagId} from devices where project_id = ${projectId}`)
}

// The statistics have another project and its rollout, and of this project one device. Nothing updates them.
beforeAll(async () => {
  api = await createTestApi()
  const ann = await api.person()
  const otherId = await api.project({ ownerId: ann.id }, 'Other')
  const projectId = await api.project({ ownerId: ann.id })
  for (const table of ['devices', 'device_tags', 'tags', 'rollouts', 'rollout_devices'])
    await api.ownerDb.execute(sql.raw(`alter table ${table} set (autovacuum_enabled = false)`))
  const other = await createRolloutFixture(api, ann, otherId, 1)
  await addManyDevices(api, { projectId: otherId, count: 1000, trustedKeys: [other.maker.key.publicKey.fingerprint] })
  await tagAll(otherId)
  await other.start()
  play = await createRolloutFixture(api, ann, projectId, 1)
  await api.ownerDb.execute(sql`analyze`)
  await addManyDevices(api, { projectId, count: count - 1, trustedKeys: [play.maker.key.publicKey.fingerprint] })
  await tagAll(projectId)
})
afterAll(() => api.close())

const targets: [string, Target][] = [
  ['all devices', { everything: true }],
  ['the devices of a tag', { tags_any: ['field'] }],
  ['the devices of a tag with a text, without another tag', { tags_all: ['field'], tags_none: ['lab'], query: 'active' }],
]

it.each(targets)(
  'creating a rollout to %s handles each device a few times, whatever the statistics of the database say',
  async (_, target) => {
    const plan = { target, waves: waves(1, 10, 100) }
    const work = await workOfStatements(() => play.make(plan))
    expect(work.filter(({ text }) => /^\s*(insert|update).*"rollout_devices"/s.test(text)).length).toBeGreaterThan(3)
    // Once for each wave, and once more.
    expect(work.filter(({ rows }) => rows > 5 * count)).toEqual([])
  },
)
