import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { addManyDevices } from '../../../../tests/support/many-devices'
import { createRolloutFixture, waves } from '../../../../tests/support/rollout-fixture'
import * as contract from '../../../../contract/fleet/tags'
import { rolloutTimeline } from '../../../../contract/updates/rollouts'
import { updateDeviceTags } from '../../../fleet/devices/tags.repository'
import { devices } from '../../../fleet/schema/devices'
import { tags } from '../../../fleet/schema/tags'
import { insertTag } from '../../../fleet/tags/repository'
import { rolloutDevices, rolloutReviews } from '../../schema/rollouts'
import { maintainRolloutCounts } from '../offer/maintain-counts'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

/** A dynamic rollout to the devices of a model with the tag `field`: at first one of five. */
const scene = async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const play = await createRolloutFixture(api, ines, projectId, 5)
  const tagId = await insertTag(api.db, projectId, { name: 'field', colour: 'sky' }, api.deps.clock())
  const setTags = (deviceId: string, ids: readonly string[]) =>
    api.db.transaction((tx) =>
      updateDeviceTags(
        tx,
        { projectId, deviceId },
        ids.map((id) => ({ id })),
      ),
    )
  const [first = '', ...others] = play.ids
  await setTags(first, [tagId])
  const { id: rolloutId } = await play.start({ target: { tags_any: ['field'], models: ['gw'] }, membership: 'dynamic' })
  const set = (id: string, facts: Partial<typeof devices.$inferInsert>) =>
    api.db.update(devices).set(facts).where(eq(devices.id, id))
  const members = async () => {
    const rows = await api.db.select().from(rolloutDevices).where(eq(rolloutDevices.rolloutId, rolloutId))
    return rows.map(({ deviceId }) => deviceId).toSorted()
  }
  const joined = async () => {
    await play.tick()
    return members()
  }
  expect(await joined()).toEqual([first])
  return { ...play, projectId, rolloutId, tagId, setTags, set, first, others, members, joined }
}

it('a device joins a dynamic rollout at the tick after the change that makes it match', async () => {
  const { first, others, tagId, setTags, set, joined, maker, things } = await scene()
  const [a = '', b = '', c = '', d = ''] = others
  await setTags(a, [tagId])
  expect(await joined()).toEqual([first, a].toSorted())
  await set(b, { hardwareModel: 'cam' })
  await setTags(b, [tagId])
  expect(await joined()).toHaveLength(2)
  await set(b, { hardwareModel: 'gw' })
  expect(await joined()).toHaveLength(3)
  await set(c, { lifecycle: 'disabled', installedVersion: 9 })
  await setTags(c, [tagId])
  await set(c, { lifecycle: 'active' })
  expect(await joined()).toHaveLength(3)
  await set(c, { installedVersion: 1 })
  expect(await joined()).toHaveLength(4)
  await set(d, { deletedAt: api.deps.clock() })
  await setTags(d, [tagId])
  expect(await joined()).toHaveLength(4)
  await set(d, { deletedAt: null })
  expect(await joined()).toHaveLength(5)
  const [fresh = ''] = await things.add({ count: 1, trustedKeys: [maker.key.publicKey.fingerprint] })
  expect(await joined()).not.toContain(fresh)
  await setTags(fresh, [tagId])
  expect(await joined()).toContain(fresh)
})

it('a paused device joins at once, and one in quarantine at the next tick after its end', async () => {
  const { others, tagId, setTags, set, joined, release } = await scene()
  const [paused = '', quarantined = ''] = others
  const until = (seconds: number) => new Date(api.deps.clock().getTime() + seconds * 1000)
  await set(paused, { updatesPausedUntil: until(60) })
  await setTags(paused, [tagId])
  await setTags(quarantined, [tagId])
  await set(quarantined, { quarantineUntil: until(120), quarantineReason: 'It failed', quarantineReleaseId: release.id })
  expect(await joined()).toContain(paused)
  api.advance(61)
  expect(await joined()).not.toContain(quarantined)
  api.advance(60)
  expect(await joined()).toContain(quarantined)
})

it('a change that no device shows is found by the review of all devices, ten minutes later at most', async () => {
  const { others, projectId, setTags, tagId, joined } = await scene()
  const other = await insertTag(api.db, projectId, { name: 'roof', colour: 'sky' }, api.deps.clock())
  const [a = ''] = others
  await setTags(a, [other])
  expect(await joined()).toHaveLength(1)
  await api.db.update(tags).set({ name: 'yard' }).where(eq(tags.id, tagId))
  await api.db.update(tags).set({ name: 'field' }).where(eq(tags.id, other))
  expect(await joined()).not.toContain(a)
  api.advance(601)
  expect(await joined()).toContain(a)
})

it('F-16: the review of a large fleet goes on from its stored position', async () => {
  const { projectId, rolloutId, tagId, maker, members, tick, first } = await scene()
  // Devices that no trigger has noted.
  await api.ownerDb.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`)
    await addManyDevices({ ...api, db: tx }, { projectId, count: 2500, trustedKeys: [maker.key.publicKey.fingerprint] })
    await tx.execute(sql`
      insert into device_tags (project_id, device_id, tag_id) select project_id, id, ${tagId} from devices
      where project_id = ${projectId} on conflict do nothing`)
  })
  await tick()
  expect(await members()).toEqual([first])
  api.advance(601)
  const sizes: number[] = []
  for (let n = 0; n < 4; n++) {
    await tick()
    sizes.push((await members()).length)
  }
  // Of the first slice up to five devices do not match or have joined before.
  expect(sizes[0]).toBeGreaterThan(995)
  expect(sizes[1]).toBeGreaterThan(1995)
  expect(sizes[1]).toBeLessThan(2002)
  expect(sizes.slice(2)).toEqual([2505, 2505])
  expect(await api.db.select().from(rolloutReviews).where(eq(rolloutReviews.rolloutId, rolloutId))).toEqual([])
})

it('devices of a rollout that has ended are not kept for review', async () => {
  const { rolloutId, tick, round, others, set } = await scene()
  await round()
  for (let n = 0; n < 3; n++) {
    await tick()
    api.advance(61)
  }
  await set(others[0] ?? '', { name: 'renamed' })
  await maintainRolloutCounts(api.deps)
  expect(await api.db.select().from(rolloutReviews).where(eq(rolloutReviews.rolloutId, rolloutId))).toEqual([])
})

it('an open rollout follows a tag that is renamed: neither do devices join that it leaves out, nor are others lost', async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const play = await createRolloutFixture(api, ines, projectId, 3)
  const make = (name: string) => insertTag(api.db, projectId, { name, colour: 'sky' }, api.deps.clock())
  const tagIds = { held: await make('held'), field: await make('field'), canary: await make('canary') }
  const [first = '', held = '', later = ''] = play.ids
  const setTags = (deviceId: string, ...ids: string[]) =>
    updateDeviceTags(
      api.db,
      { projectId, deviceId },
      ids.map((id) => ({ id })),
    )
  await setTags(first, tagIds.field, tagIds.canary)
  await setTags(held, tagIds.field, tagIds.held)
  const [share] = waves(100)
  const { id: rolloutId } = await play.start({
    target: { tags_any: ['field'], tags_none: ['held'] },
    waves: share ? [{ kind: 'tag', value: 'canary', gate: share.gate }, share] : [],
    membership: 'dynamic',
  })
  const rename = async (tagId: string, name: string) => {
    const { revision } = (await api.call(contract.tag, { tagId }, { as: ines })).body
    const headers = { 'if-match': `"${revision}"` }
    const answer = await api.call(contract.updateTag, { tagId }, { as: ines, body: { name }, headers })
    expect(answer.body).toMatchObject({ name, used_by_rollouts: 1 })
  }
  await rename(tagIds.held, 'frozen')
  await rename(tagIds.field, 'outdoor')
  await rename(tagIds.canary, 'early')
  await setTags(later, tagIds.field)
  api.advance(601)
  await play.tick()
  const rows = await api.db.select().from(rolloutDevices).where(eq(rolloutDevices.rolloutId, rolloutId))
  expect(rows.map(({ deviceId }) => deviceId).toSorted()).toEqual([first, later].toSorted())
  const { target, waves: plan } = await play.read(rolloutId)
  expect(target).toEqual({ tags_any: ['outdoor'], tags_none: ['frozen'] })
  expect(plan.map(({ tag }) => tag)).toEqual(['early'])
})

it('no device joins an open rollout that leaves devices out by a tag once that tag was deleted, and its timeline says why', async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const play = await createRolloutFixture(api, ines, projectId, 3)
  const make = (name: string) => insertTag(api.db, projectId, { name, colour: 'sky' }, api.deps.clock())
  const [tagId, field] = [await make('held'), await make('field')]
  for (const [n, deviceId] of play.ids.entries())
    await updateDeviceTags(api.db, { projectId, deviceId }, n === 0 ? [{ id: field }] : [{ id: field }, { id: tagId }])
  const { id: rolloutId } = await play.start({
    target: { tags_any: ['field'], tags_none: ['held'] },
    membership: 'dynamic',
  })
  const { revision } = (await api.call(contract.tag, { tagId }, { as: ines })).body
  const headers = { 'if-match': `"${revision}"` }
  const refused = await api.call(contract.deleteTag, { tagId }, { as: ines, headers })
  expect(refused.body).toMatchObject({ error: { code: 'in_use', about: { devices: 2, rollouts: 1 } } })
  await api.call(contract.deleteTag, { tagId }, { as: ines, headers, query: { force: true } })
  api.advance(601)
  await play.tick()
  const { membership, counts } = await play.read(rolloutId)
  expect({ membership, targeted: counts.targeted }).toEqual({ membership: 'frozen', targeted: 1 })
  const { entries } = (await api.call(rolloutTimeline, { rolloutId }, { as: ines })).body
  const text = 'The tag held, by which it leaves devices out, was deleted: no more devices join'
  expect(entries).toContainEqual(expect.objectContaining({ kind: 'membership.frozen', text }))
})
