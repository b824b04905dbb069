import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { device, devices } from '../../contract/devices'
import { overview } from '../../contract/monitor'
import { personalProjects, project } from '../../contract/projects'
import { tags } from '../../contract/tags'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { blocksOf } from '../../tests/support/blocks'
import { repetitions } from '../../tests/support/counts'
import type { Person } from '../../tests/support/people'
import { maintainCounts } from '../fleet/devices/counts'
import { countDevicesOfPlan } from '../fleet/devices/repository'
import { insertTag } from '../fleet/tags/repository'
import { seedLarge } from '../seed/large.repository'
import { countPlanUsage } from './plan-usage.repository'

type Fleet = { api: TestApi; ann: Person; projectId: string; deviceId: string }

const sizes = [repetitions(1000, 10_000), repetitions(8000, 100_000)] as const
let fleets: [Fleet, Fleet]

const createFleet = async (count: number): Promise<Fleet> => {
  const api = await createTestApi()
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const now = api.deps.clock()
  const tagId = await insertTag(api.db, projectId, { name: 'field', colour: 'sky' }, now)
  await seedLarge(api.db, { projectId, devices: count, now, hours: 1 })
  await api.db.execute(sql`
    insert into device_tags (project_id, device_id, tag_id) select project_id, id, ${tagId} from devices order by id limit ${count / 4}`)
  await maintainCounts(api.deps)
  // The sizes that the planner and the visibility map go by do not depend on the moment of an automatic run.
  for (const table of ['devices', 'device_tags', 'device_counts', 'device_count_changes', 'tag_counts', 'tag_count_changes'])
    await api.ownerDb.execute(sql`vacuum analyze ${sql.identifier(table)}`)
  const { rows } = await api.db.execute<{ id: string }>(sql`select id from devices order by id limit 1`)
  return { api, ann, projectId, deviceId: rows[0]?.id ?? '' }
}

beforeAll(async () => {
  fleets = [await createFleet(sizes[0]), await createFleet(sizes[1])]
}, 300_000)
afterAll(() => Promise.all(fleets.map(({ api }) => api.close())))

type Request = (fleet: Fleet) => Promise<unknown>

const ok = async (reply: Promise<{ status: number; text: string }>) => {
  const { status, text } = await reply
  expect(status, text).toBe(200)
}

const requests: Record<string, Request> = {
  'the list of projects': ({ api, ann }) => ok(api.call(personalProjects, {}, { as: ann })),
  'a project': ({ api, ann, projectId }) => ok(api.call(project, { projectId }, { as: ann })),
  'the first page of devices': ({ api, ann, projectId }) => ok(api.call(devices, { projectId }, { as: ann })),
  'a device': ({ api, ann, deviceId }) => ok(api.call(device, { deviceId }, { as: ann })),
  'the overview': ({ api, ann, projectId }) => ok(api.call(overview, { projectId }, { as: ann })),
  'the tags': ({ api, ann, projectId }) => ok(api.call(tags, { projectId }, { as: ann })),
  'the devices that count for the plan': ({ api, projectId }) => countDevicesOfPlan(api.db, projectId),
  'the use of the plan': ({ api, ann }) => countPlanUsage(api.db, { kind: 'user', id: ann.id }),
}

it.each(Object.keys(requests))('%s is read with as few blocks in a fleet of eight times the size', async (name) => {
  const request = requests[name]!
  const [small, large] = [
    await blocksOf(fleets[0].api, () => request(fleets[0])),
    await blocksOf(fleets[1].api, () => request(fleets[1])),
  ]
  expect(small).toBeGreaterThan(0)
  // A level more of each index that is used.
  expect(large, `${small} blocks in the small fleet`).toBeLessThanOrEqual(small * 1.2 + 8)
})
