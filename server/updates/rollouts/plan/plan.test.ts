import { eq, inArray } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTag, tags as listTags } from '../../../../contract/fleet/tags'
import { updateDevice, device as getDevice } from '../../../../contract/fleet/devices'
import type { BodyOf } from '../../../../contract/core/endpoint'
import {
  type Gate,
  previewRollout,
  previewRolloutDevices,
  type Target,
  type Wave,
} from '../../../../contract/updates/rollout-plans'
import { createRollout, rolloutDevices, rolloutTimeline } from '../../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { createRolloutFixture } from '../../../../tests/support/rollout-fixture'
import { devices, deviceTags } from '../../../fleet/schema/devices'
import { tags } from '../../../fleet/schema/tags'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const gate: Gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 0, then: 'continue' }
const share = (value: number): Wave => ({ kind: 'percent', value, gate })
const everything: Target = { everything: true }

const scene = async (count: number) => {
  const ines = await api.person({ name: 'Ines' })
  const projectId = await api.project({ ownerId: ines.id })
  const play = await createRolloutFixture(api, ines, projectId, count)
  const releaseId = play.release.id
  const tag = async (name: string, ids: readonly string[]) => {
    const made = await api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'sky' } })
    // It may have been created for other devices before.
    expect([201, 422]).toContain(made.status)
    for (const deviceId of ids) {
      const { body } = await api.call(getDevice, { deviceId }, { as: ines })
      const names = [...body.tags.map((one) => one.name), name]
      const headers = { 'if-match': `"${body.revision}"` }
      const changed = await api.call(updateDevice, { deviceId }, { as: ines, body: { tags: names }, headers })
      expect(changed.status, changed.text).toBe(200)
    }
  }
  /** Every device of a preview, page by page. */
  const list = async (body: BodyOf<typeof previewRolloutDevices>, query: Record<string, string | number> = {}) => {
    const all = []
    for (let cursor: string | undefined; ;) {
      const asked = { limit: 3, ...query, ...(cursor !== undefined && { cursor }) }
      const page = await api.call(previewRolloutDevices, { releaseId }, { as: ines, body, query: asked })
      expect(page.status, page.text).toBe(200)
      all.push(...page.body.devices)
      if (page.body.next_cursor === null) return all
      cursor = page.body.next_cursor
    }
  }
  const totalOf = async (target: Target) => (await play.preview({ target })).total
  return { ...play, ines, projectId, releaseId, tag, list, totalOf }
}

it('a target selects by tags, model, version, text and name', async () => {
  const { ids, tag, totalOf } = await scene(8)
  const [one = '', two = '', three = '', four = ''] = ids
  await tag('lab', [one, two])
  await tag('slow', [two, three])
  await api.db
    .update(devices)
    .set({ installedVersion: 0 })
    .where(inArray(devices.id, [one, four]))
  await api.db.update(devices).set({ serialNumber: 'SN-100%' }).where(eq(devices.id, three))
  expect(await totalOf({ versions: [0] })).toBe(2)
  expect(await totalOf({ versions: [0], tags_any: ['lab'] })).toBe(1)
  expect(await totalOf({ tags_all: ['lab', 'slow'] })).toBe(1)
  expect(await totalOf({ tags_any: ['lab', 'slow'], tags_none: ['slow'] })).toBe(1)
  expect(await totalOf({ models: ['gw'] })).toBe(8)
  expect(await totalOf({ models: ['cam'] })).toBe(0)
  expect(await totalOf({ query: '0%' })).toBe(1)
  expect(await totalOf({ query: 'DEVICE' })).toBe(8)
  expect(await totalOf({ versions: [0], device_ids: [three] })).toBe(3)
})

it('a preview lists each device with its wave or the check that excludes it, as the rollout then has them', async () => {
  const { ids, ines, list, make, preview, releaseId } = await scene(12)
  await api.db
    .update(devices)
    .set({ installedVersion: 2 })
    .where(inArray(devices.id, ids.slice(0, 3)))
  await api.db
    .update(devices)
    .set({ lifecycle: 'disabled' })
    .where(eq(devices.id, ids[3] ?? ''))
  const plan = { target: everything, waves: [share(25), share(100)] }
  const seen = await preview(plan)
  expect(seen.waves.map(({ count }) => count)).toEqual([2, 6])
  const all = await list(plan)
  expect(all.map(({ name }) => name)).toEqual(all.map(({ name }) => name).toSorted())
  expect(new Set(all.map(({ id }) => id))).toEqual(new Set(ids))
  const out = new Map(all.flatMap(({ id, reason, observed }) => (reason === null ? [] : [[id, [reason, observed]] as const])))
  const installed = ids.slice(0, 3).map((id): [string, string[]] => [id, ['not_already_installed', 'v2']])
  expect(out).toEqual(new Map([...installed, [ids[3] ?? '', ['lifecycle_active', 'disabled']]]))
  expect((await list(plan, { group: 'excluded' })).map(({ id }) => id).toSorted()).toEqual([...out.keys()].toSorted())
  expect(await list(plan, { reason: 'lifecycle_active' })).toMatchObject([{ id: ids[3], text: 'The device is disabled' }])
  expect((await list(plan, { group: 'included' })).every(({ wave }) => wave !== null)).toBe(true)
  const first = await list(plan, { wave: 1 })
  expect(await list(plan, { wave: 1, q: first[0]?.name ?? '' })).toEqual(first.slice(0, 1))

  const { id: rolloutId } = await make(plan)
  const made = await api.call(rolloutDevices, { rolloutId }, { as: ines })
  const waves = new Map(made.body.devices.map((one) => [one.device_id, one.wave]))
  expect(waves).toEqual(new Map(all.flatMap(({ id, wave }) => (wave === null ? [] : [[id, wave] as const]))))
  const foreign = await api.call(previewRolloutDevices, { releaseId }, { as: await api.person(), body: plan })
  expect(foreign.status).toBe(404)
})

it('the pages of a preview are cut from one list for a minute, although the fleet changes', async () => {
  const { ids, ines, maker, preview, releaseId, things } = await scene(4)
  const plan = { target: everything, waves: [share(100)] }
  const { preview_hash } = await preview(plan)
  const page = async (cursor?: string) => {
    const query = { limit: 2, preview_hash, ...(cursor !== undefined && { cursor }) }
    const answer = await api.call(previewRolloutDevices, { releaseId }, { as: ines, body: plan, query })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const first = await page()
  await things.add({ count: 1, trustedKeys: [maker.key.publicKey.fingerprint] })
  const second = await page(first.next_cursor ?? '')
  expect([...first.devices, ...second.devices].map(({ id }) => id)).toEqual(ids)
  expect([second.next_cursor, second.total]).toEqual([null, 4])
  api.advance(60)
  expect((await page()).total).toBe(5)
  const strange = Buffer.from(JSON.stringify(['device 0', 'elsewhere'])).toString('base64url')
  const query = { limit: 2, preview_hash, cursor: strange }
  expect((await api.call(previewRolloutDevices, { releaseId }, { as: ines, body: plan, query })).status).toBe(422)
})

it('a tag wave gets its devices first, its gate waits for a person, and a changed tag makes the preview outdated', async () => {
  const { ids, ines, projectId, preview, releaseId, read, round, start, tag, tick } = await scene(10)
  await tag('canary', ids.slice(0, 2))
  const waves: Wave[] = [
    { kind: 'tag', value: 'canary', gate: { ...gate, then: 'wait_for_user' } },
    { kind: 'tag', value: 'nobody', gate },
    share(50),
    share(100),
  ]
  const plan = { target: everything, waves }
  const outdated = await preview(plan)
  expect(outdated.waves.map(({ plan_wave, count }) => [plan_wave, count])).toEqual([
    [1, 2],
    [3, 4],
    [4, 4],
  ])
  await tag('canary', ids.slice(2, 3))
  const refused = await api.call(
    createRollout,
    { releaseId },
    { as: ines, body: { ...plan, preview_hash: outdated.preview_hash } },
  )
  expect([refused.status, refused.error.code]).toEqual([409, 'preview_stale'])

  const { id } = await start(plan)
  const rollout = await read(id)
  expect(rollout.waves.map(({ tag: name, counts }) => [name, counts.targeted])).toEqual([
    ['canary', 3],
    [null, 4],
    [null, 3],
  ])
  const used = await api.call(listTags, { projectId }, { as: ines })
  expect(used.body.tags.map(({ name, used_by_rollouts: n }) => [name, n])).toEqual([['canary', 1]])
  await tick()
  expect(await round()).toBe(3)
  await tick()
  await tick()
  expect(await read(id)).toMatchObject({ state: 'waiting_for_user', counts: { succeeded: 3 } })
})

it('a device that matches later joins the wave of its tag', async () => {
  const { ids, ines, maker, start, tag, things, tick } = await scene(4)
  await tag('canary', ids.slice(0, 1))
  const waves: Wave[] = [{ kind: 'tag', value: 'canary', gate }, share(100)]
  const { id: rolloutId } = await start({ target: everything, waves, membership: 'dynamic' })
  const [late = ''] = await things.add({ count: 1, trustedKeys: [maker.key.publicKey.fingerprint] })
  await tag('canary', [late])
  await tick()
  const { body } = await api.call(rolloutDevices, { rolloutId }, { as: ines })
  expect(body.devices.find(({ device_id }) => device_id === late)).toMatchObject({ wave: 1 })
})

it('a failed device waits as long as the back-off of its rollout says', async () => {
  const { ids, start, tick, things } = await scene(1)
  const [id = ''] = ids
  const lenient: Wave[] = [{ kind: 'percent', value: 100, gate: { ...gate, max_failure_percent: 100, min_success_percent: 0 } }]
  const backoff = { first_s: 40, factor: 3, max_s: 100 }
  const { id: rolloutId, backoff: stored } = await start({ target: everything, waves: lenient, backoff })
  expect(stored).toEqual(backoff)
  for (const seconds of [40, 100]) {
    const offer = await things.ask(id)
    expect(offer).toHaveProperty('envelope')
    await things.install(id, rolloutId, 'network_error')
    await tick()
    api.advance(seconds - 1)
    expect(await things.ask(id)).not.toHaveProperty('envelope')
    api.advance(1)
  }
})

it('the health gate halts a wave whose updated devices become critical, and lets it pass otherwise only after an hour', async () => {
  const { ids, ines, read, round, start, tick } = await scene(8)
  const healthy: Wave[] = [{ kind: 'percent', value: 50, gate: { ...gate, health_gate: true } }, share(100)]
  const { id: rolloutId } = await start({ target: everything, waves: healthy })
  await api.db.update(devices).set({ lastSeenAt: api.deps.clock(), pollingIntervalS: 604_800 }).where(inArray(devices.id, ids))
  await tick()
  expect(await round()).toBe(4)
  await tick()
  api.advance(3599)
  await tick()
  expect(await read(rolloutId)).toMatchObject({ state: 'running', current_wave: 1 })
  const { body } = await api.call(rolloutDevices, { rolloutId }, { as: ines, query: { wave: '1' } })
  const updated = body.devices.map(({ device_id }) => device_id)
  await api.db
    .update(devices)
    .set({ healthStatus: 'critical' })
    .where(inArray(devices.id, updated.slice(0, 3)))
  await tick()
  const text = 'Wave 1 was halted: 3 of 4 updated devices are in critical health, before the wave it was 0 of 4'
  expect(await read(rolloutId)).toMatchObject({ state: 'halted', state_reason: text })
  const { entries } = (await api.call(rolloutTimeline, { rolloutId }, { as: ines })).body
  expect(entries.some((entry) => entry.text === text)).toBe(true)
})

it('a downgrade needs the version of the release typed again', async () => {
  const { ines, preview, releaseId } = await scene(1)
  const plan = { target: everything, waves: [share(100)] }
  const { preview_hash } = await preview({ ...plan, allow_downgrade: true })
  const create = (version: number) => {
    const body = { ...plan, preview_hash, allow_downgrade: { reason: 'The new one fails at night', version } }
    return api.call(createRollout, { releaseId }, { as: ines, body })
  }
  const refused = await create(3)
  expect([refused.status, refused.error.details]).toEqual([
    422,
    [{ field: 'allow_downgrade.version', code: 'mismatch', message: 'This is not the version of the release, 2' }],
  ])
  expect((await create(2)).status).toBe(201)
})

it('a plan that leaves devices out by a tag that the project does not have is refused: it would leave none out', async () => {
  const { ids, ines, releaseId, tag, preview } = await scene(3)
  await tag('hospital', ids.slice(0, 1))
  const plan = { target: { everything: true as const, tags_none: ['hospital'] }, waves: [share(100)] }
  const { total, preview_hash } = await preview(plan)
  expect(total).toBe(2)
  await api.db.update(tags).set({ name: 'clinic' }).where(eq(tags.name, 'hospital'))
  const refusals = [
    await api.call(previewRollout, { releaseId }, { as: ines, body: plan }),
    await api.call(createRollout, { releaseId }, { as: ines, body: { ...plan, preview_hash } }),
  ]
  for (const { status, error } of refusals)
    expect([status, error.details]).toEqual([
      422,
      [{ field: 'target.tags_none', code: 'unknown_tag', message: 'The project has no tag hospital' }],
    ])
})

it.each([
  [{ target: { tags_none: ['lab'] } }, 'target', 'required'],
  [{ target: everything, waves: [{ kind: 'tag' as const, value: 'lab', gate }] }, 'waves', 'rest'],
  [{ target: everything, waves: [{ kind: 'tag' as const, value: 'Lab', gate }, share(100)] }, 'waves.0.value', 'pattern'],
])('the plan %j is refused at %s', async (body, field, code) => {
  const { ines, releaseId } = await scene(1)
  const refused = await api.call(previewRollout, { releaseId }, { as: ines, body })
  expect([refused.status, refused.error.details.map((one) => [one.field, one.code])]).toEqual([422, [[field, code]]])
})

it('a device that is paused at the preview is in the rollout, is named by it, and gets its offer when the pause ends', async () => {
  const { ids, preview, list, start, things } = await scene(3)
  const [paused = '', other = ''] = ids
  const until = new Date(api.deps.clock().getTime() + 3600_000)
  await api.db.update(devices).set({ updatesPausedUntil: until }).where(eq(devices.id, paused))
  const plan = { target: everything, waves: [share(100)] }
  expect(await preview(plan)).toMatchObject({
    total: 3,
    paused: { count: 1, until: `${until.toISOString().slice(0, 19)}+00:00` },
  })
  expect((await list(plan)).map(({ id, paused_until, reason }) => [id, paused_until !== null, reason])).toEqual(
    ids.map((id) => [id, id === paused, null]),
  )
  await start()
  expect(await things.ask(other)).toHaveProperty('envelope')
  expect(await things.ask(paused)).toMatchObject({ reason: 'paused', until })
  api.advance(3601)
  expect(await things.ask(paused)).toHaveProperty('envelope')
})

it('a last wave by count that takes more devices than its count says so', async () => {
  const { preview } = await scene(7)
  const count = (value: number): Wave => ({ kind: 'count', value, gate })
  const askedOf = async (...waves: Wave[]) =>
    (await preview({ target: everything, waves })).waves.map((one) => [one.count, one.asked_count])
  expect(await askedOf(count(3))).toEqual([[7, 3]])
  expect(await askedOf(count(1), count(3))).toEqual([
    [1, null],
    [6, 3],
  ])
  expect(await askedOf(count(1), count(7))).toEqual([
    [1, null],
    [6, null],
  ])
  expect(await askedOf(share(10), share(100))).toEqual([
    [1, null],
    [6, null],
  ])
})

it('a start time in the past is refused, and one of the current minute is not', async () => {
  const { ines, releaseId, preview } = await scene(1)
  const plan = { target: everything, waves: [share(100)] }
  const { preview_hash } = await preview(plan)
  const at = (seconds: number) => `${new Date(api.deps.clock().getTime() + seconds * 1000).toISOString().slice(0, 19)}+00:00`
  const create = (start_at: string) =>
    api.call(createRollout, { releaseId }, { as: ines, body: { ...plan, preview_hash, start_at } })
  const refused = await create(at(-3600))
  expect([refused.status, refused.error.details]).toMatchObject([422, [{ field: 'start_at', code: 'past' }]])
  expect((await create(at(-30))).status).toBe(201)
})

it.each(['frozen', 'dynamic'] as const)(
  'a device of a %s rollout that loses its tag before its offer gets the release',
  async (membership) => {
    const { ids, tag, preview, start, things, tick } = await scene(2)
    await tag('site', ids)
    const target = { tags_all: ['site'] }
    expect((await preview({ target })).total).toBe(2)
    await start({ target, membership })
    await api.db.delete(deviceTags).where(inArray(deviceTags.deviceId, ids))
    await tick()
    for (const id of ids) expect(await things.ask(id)).toHaveProperty('envelope')
  },
)
