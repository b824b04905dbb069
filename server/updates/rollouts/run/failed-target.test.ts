import { randomBytes } from 'node:crypto'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { previewRollout, type Target } from '../../../../contract/updates/rollout-plans'
import { createRollout } from '../../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { addManyDevices } from '../../../../tests/support/many-devices'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { devices, deviceTags } from '../../../fleet/schema/devices'
import { tags } from '../../../fleet/schema/tags'
import { newRow } from '../../../core/database/row'
import { rolloutDevices } from '../../schema/rollouts'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const scene = async (count: number) => {
  const ines = await api.person({ name: 'Ines' })
  const projectId = await api.project({ ownerId: ines.id })
  const maker = await createReleaseFixture(api, ines, projectId)
  const { id: releaseId } = await maker.signed({ version: 3, bytes: randomBytes(64) })
  await addManyDevices(api, { projectId, count, trustedKeys: [maker.key.publicKey.fingerprint] })
  const preview = (target: Target) => api.call(previewRollout, { releaseId }, { as: ines, body: { target } })
  const create = async (target: Target) => {
    const { preview_hash } = (await preview(target)).body
    return api.call(createRollout, { releaseId }, { as: ines, body: { target, preview_hash } })
  }
  const ids = (await api.db.select().from(devices).where(eq(devices.projectId, projectId)).orderBy(devices.id)).map(
    ({ id }) => id,
  )
  /** A rollout to all devices that has failed on these. */
  const failedOn = async (failed: readonly string[]) => {
    const { id } = (await create({ everything: true })).body
    for (let at = 0; at < failed.length; at += 1000)
      await api.db
        .update(rolloutDevices)
        .set({ state: 'failed' })
        .where(and(eq(rolloutDevices.rolloutId, id), inArray(rolloutDevices.deviceId, failed.slice(at, at + 1000))))
    return id
  }
  return { projectId, ids, preview, create, failedOn }
}

it('a rollout takes all failed devices of an earlier one, also more than a target can name', async () => {
  const { ids, create, failedOn, preview } = await scene(1300)
  const earlier = await failedOn(ids.slice(0, 1200))
  expect((await preview({ failed_in: earlier })).body.total).toBe(1200)
  const again = await create({ failed_in: earlier })
  expect([again.status, again.body.counts.targeted]).toEqual([201, 1200])
  const members = await api.db.select().from(rolloutDevices).where(eq(rolloutDevices.rolloutId, again.body.id))
  expect(members.map(({ deviceId }) => deviceId).toSorted()).toEqual(ids.slice(0, 1200))
})

it('failed devices that have the release by now are left out of a second rollout, and counted', async () => {
  const { ids, preview, failedOn } = await scene(8)
  const earlier = await failedOn(ids.slice(0, 6))
  await api.db
    .update(devices)
    .set({ installedVersion: 3 })
    .where(inArray(devices.id, ids.slice(0, 4)))
  const { total, excluded } = (await preview({ failed_in: earlier })).body
  expect([total, excluded.map(({ reason, count }) => [reason, count])]).toEqual([2, [['not_already_installed', 4]]])
})

it('failed devices are added to those of the other fields, except those with a tag that is left out', async () => {
  const { projectId, ids, preview, failedOn } = await scene(8)
  const [first = '', , , , , , , last = ''] = ids
  const earlier = await failedOn(ids.slice(0, 4))
  const tag = { ...newRow(api.deps.clock()), projectId, name: 'slow', colour: 'moss' as const }
  await api.db.insert(tags).values(tag)
  await api.db.insert(deviceTags).values({ projectId, tagId: tag.id, deviceId: first })
  const target = { failed_in: earlier, device_ids: [last], tags_none: ['slow'] }
  expect((await preview(target)).body.total).toBe(4)
  expect((await preview({ failed_in: earlier, query: 'active 000008' })).body.total).toBe(5)
})

it('a rollout of another project selects no devices', async () => {
  const one = await scene(2)
  const other = await scene(2)
  const earlier = await one.failedOn(one.ids)
  await api.db.execute(sql`update devices set project_id = ${other.projectId}, name = 'moved' where id = ${one.ids[0]}`)
  expect((await other.preview({ failed_in: earlier })).body.total).toBe(0)
})
