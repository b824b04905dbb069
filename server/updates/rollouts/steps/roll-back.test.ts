import { randomBytes } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Gate } from '../../../../contract/updates/rollout-plans'
import * as rolloutPlans from '../../../../contract/updates/rollout-plans'
import { previewRollBack } from '../../../../contract/updates/roll-backs'
import * as rolloutSteps from '../../../../contract/updates/rollout-steps'
import * as contract from '../../../../contract/updates/rollouts'
import { release, revokeRelease } from '../../../../contract/updates/releases'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { fleet } from '../../../../tests/support/fleet'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { devices } from '../../../fleet/schema/devices'
import { releases } from '../../schema/releases'
import { rolloutDevices, rollouts, rolloutWaves } from '../../schema/rollouts'
import { tickRollouts } from '../tick'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const gate: Gate = { min_success_percent: 0, max_failure_percent: 100, min_sample: 1, soak_s: 3600, then: 'continue' }
const waves = (...values: number[]) => values.map((value) => ({ kind: 'percent' as const, value, gate }))
const tick = () => tickRollouts(api.deps)

/** A project whose devices run 2.5.0, and the start of 2.6.0 on all of them. */
const scene = async (count: number, { withList = true, displayVersion = '2.6.0' } = {}) => {
  const ines = await api.person({ name: 'Ines' })
  const projectId = await api.project({ ownerId: ines.id })
  const maker = await createReleaseFixture(api, ines, projectId)
  const things = fleet(api, projectId)
  const old = await maker.signed({ version: 5, bytes: randomBytes(8), displayVersion: '2.5.0' })
  const trustedKeys = [maker.key.publicKey.fingerprint]
  const ids = await things.add({ count, version: 5, releaseId: old.id, trustedKeys })
  const sign = withList ? maker.signed : maker.signedWithoutList
  const bad = await sign({ version: 6, bytes: randomBytes(8), displayVersion })
  const begin = async (releaseId = bad.id, values = [100], membership: 'frozen' | 'dynamic' = 'frozen') => {
    const plan = { target: { everything: true }, waves: waves(...values) }
    const seen = await api.call(rolloutPlans.previewRollout, { releaseId }, { as: ines, body: plan })
    expect(seen.status, seen.text).toBe(200)
    const body = { ...plan, membership, max_concurrent: 1000, preview_hash: seen.body.preview_hash }
    const made = await api.call(contract.createRollout, { releaseId }, { as: ines, body })
    expect(made.status, made.text).toBe(201)
    const begun = await api.call(rolloutSteps.startRollout, { rolloutId: made.body.id }, { as: ines })
    expect(begun.status, begun.text).toBe(200)
    return made.body.id
  }
  const now = async (rolloutId: string) => (await api.call(contract.rollout, { rolloutId }, { as: ines })).body
  const rollBack = async (rolloutId: string) => {
    const body = { reason: 'It leaks memory' }
    const answer = await api.call(rolloutSteps.rollBackRollout, { rolloutId }, { as: ines, body })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const lookAhead = async (rolloutId: string) => {
    const seen = await api.call(previewRollBack, { rolloutId }, { as: ines })
    expect(seen.status, seen.text).toBe(200)
    return seen.body
  }
  /** Takes the offer and installs it. */
  const take = async (id: string) => {
    const offer = await things.ask(id)
    if (!('envelope' in offer)) throw new Error(`no offer: ${offer.text}`)
    await things.install(id, offer.rolloutId)
  }
  const versions = async () => {
    const rows = await api.db.select().from(devices).where(eq(devices.projectId, projectId)).orderBy(devices.name)
    return rows.map(({ installedVersion }) => installedVersion)
  }
  const backs = (rolloutId: string) => api.db.select().from(rollouts).where(eq(rollouts.rollsBackId, rolloutId))
  const timeline = async (rolloutId: string) => {
    const { body } = await api.call(contract.rolloutTimeline, { rolloutId }, { as: ines })
    return body.entries.map(({ kind, text }) => [kind, text])
  }
  return { ines, projectId, maker, things, ids, old, bad, begin, now, rollBack, lookAhead, take, versions, backs, timeline }
}

it('a rollout is rolled back only when each device with the release has confirmed its previous one', async () => {
  const play = await scene(3)
  const [first = '', second = '', third = ''] = play.ids
  const rolloutId = await play.begin()
  await play.take(first)
  await play.take(second)
  expect((await play.rollBack(rolloutId)).state).toBe('rolling_back')
  await tick()
  expect(await play.versions()).toEqual([6, 6, 5])
  expect((await play.now(rolloutId)).state).toBe('rolling_back')
  await play.take(first)
  await tick()
  expect((await play.now(rolloutId)).state).toBe('rolling_back')
  // What became of a device that had succeeded is said as soon as it is back, and not before.
  const back = (await play.backs(rolloutId))[0]?.id ?? ''
  const returns = async () => {
    const { body } = await api.call(contract.rolloutDevices, { rolloutId }, { as: play.ines })
    return new Map(body.devices.map(({ device_id, returned }) => [device_id, returned]))
  }
  expect([(await returns()).get(first), (await returns()).get(second), (await returns()).get(third)]).toMatchObject([
    { rollout_id: back, version: 5, display_version: '2.5.0' },
    null,
    null,
  ])
  expect([(await play.now(back)).rolls_back_id, (await play.now(rolloutId)).rolls_back_id]).toEqual([rolloutId, null])
  const way = { rollout_id: back, name: (await play.now(back)).name, version: 5, display_version: '2.5.0' }
  const counted = { counts: { succeeded: 2 }, waves: [{ counts: { succeeded: 2 }, returned: 1 }] }
  expect(await play.now(rolloutId)).toMatchObject({ ...counted, ways_back: [{ ...way, returned: 1 }] })
  const listed = await api.call(contract.projectRollouts, { projectId: play.projectId }, { as: play.ines })
  expect(listed.body.rollouts.find(({ id }) => id === rolloutId)?.ways_back).toEqual([{ ...way, returned: 1 }])
  await play.take(second)
  await tick()
  await tick()
  expect(await play.now(rolloutId)).toMatchObject({
    state: 'rolled_back',
    with_failures: false,
    state_reason: 'All 2 devices have returned',
    waves: [{ returned: 2 }],
    ways_back: [{ rollout_id: back, returned: 2 }],
  })
  // Said as they left, not as if they were there.
  expect(await play.timeline(rolloutId)).toContainEqual(['rollback.sent', '2 devices are sent back to 2.5.0'])
  expect(await play.versions()).toEqual([5, 5, 5])
  expect(await play.things.ask(third)).toMatchObject({ reason: 'up_to_date' })
})

it('a release that a newer one has replaced says by which version', async () => {
  const play = await scene(1)
  await api.db.update(releases).set({ state: 'released' }).where(eq(releases.id, play.old.id))
  const rolloutId = await play.begin()
  await play.take(play.ids[0] ?? '')
  await tick()
  await api.db.update(rolloutWaves).set({ soakUntil: api.deps.clock() }).where(eq(rolloutWaves.rolloutId, rolloutId))
  await tick()
  expect((await play.now(rolloutId)).state).toBe('completed')
  const { body } = await api.call(release, { releaseId: play.old.id }, { as: play.ines })
  expect([body.state, body.state_reason]).toEqual(['superseded', '2.6.0 replaced it'])
})

it('a device that finishes the release after the rollback began is rolled back too', async () => {
  const play = await scene(2)
  const [first = '', late = ''] = play.ids
  const rolloutId = await play.begin()
  await play.take(first)
  const offer = await play.things.ask(late)
  expect(offer).toHaveProperty('envelope')
  await play.things.report(late, rolloutId, { type: 'update_accepted' }, { type: 'install_started' })
  await play.rollBack(rolloutId)
  await play.take(first)
  await tick()
  await tick()
  // The rollback of the first device has ended; the late one still installs.
  expect((await play.now(rolloutId)).state).toBe('rolling_back')
  await play.things.report(late, rolloutId, { type: 'update_confirmed' })
  expect(await play.versions()).toEqual([5, 6])
  await tick()
  expect((await play.now(rolloutId)).state).toBe('rolling_back')
  await play.take(late)
  await tick()
  await tick()
  expect(await play.versions()).toEqual([5, 5])
  expect(await play.now(rolloutId)).toMatchObject({ state: 'rolled_back', state_reason: 'All 2 devices have returned' })
})

it.each(['completed', 'cancelled', 'expired'] as const)(
  'a rollout that is %s is rolled back: it is open meanwhile, devices with a newer release keep theirs, and its way back is not undone',
  async (end) => {
    const play = await scene(3)
    const [first = '', second = '', third = ''] = play.ids
    const rolloutId = await play.begin()
    for (const id of end === 'completed' ? play.ids : [first, second]) await play.take(id)
    if (end === 'cancelled')
      await api.call(rolloutSteps.cancelRollout, { rolloutId }, { as: play.ines, body: { mode: 'stop_new' } })
    if (end === 'expired') await api.db.update(rollouts).set({ endAt: api.deps.clock() }).where(eq(rollouts.id, rolloutId))
    await tick()
    api.advance(gate.soak_s)
    await tick()
    expect(await play.now(rolloutId)).toMatchObject({ state: end, ended_at: expect.any(String) })
    const good = await play.maker.signed({ version: 7, bytes: randomBytes(8), displayVersion: '2.6.1' })
    await api.db.update(devices).set({ installedReleaseId: good.id, installedVersion: 7 }).where(eq(devices.id, second))

    const returning = end === 'completed' ? [first, third] : [first]
    expect(await play.lookAhead(rolloutId)).toMatchObject({ returns: [{ version: 5, count: returning.length }], stays: [] })
    expect(await play.rollBack(rolloutId)).toMatchObject({ state: 'rolling_back', ended_at: null })
    for (const id of returning) await play.take(id)
    await tick()
    await tick()
    expect(await play.versions()).toEqual([5, 7, 5])
    const ended = await play.now(rolloutId)
    expect(ended).toMatchObject({ state: 'rolled_back', with_failures: false, ended_at: expect.any(String) })

    const [back] = await play.backs(rolloutId)
    expect((await play.now(back?.id ?? '')).state).toBe('completed')
    for (const id of [rolloutId, back?.id ?? '']) {
      const body = { reason: 'Once more' }
      expect((await api.call(rolloutSteps.rollBackRollout, { rolloutId: id }, { as: play.ines, body })).status).toBe(409)
    }
  },
)

it('a device that is offline does not keep a rollback open, is named, and returns when it is back', async () => {
  const play = await scene(3)
  const [first = '', away = '', off = ''] = play.ids
  const rolloutId = await play.begin()
  for (const id of play.ids) await play.take(id)
  await play.rollBack(rolloutId)
  await play.take(first)
  await api.db.update(devices).set({ updatesEnabled: false }).where(eq(devices.id, off))
  await tick()
  expect((await play.now(rolloutId)).state).toBe('rolling_back')
  // The offline one was last seen an hour ago; the other two do not have to do anything.
  api.advance(3600)
  await tick()
  const text =
    '1 of 3 returned; 1 is offline and returns at the next check-in: device 1; ' +
    '1 keeps 2.6.0: device 2 (updates of this device are switched off)'
  expect(await play.now(rolloutId)).toMatchObject({ state: 'rolled_back', with_failures: true, state_reason: text })
  const [back] = await play.backs(rolloutId)
  expect((await play.now(back?.id ?? '')).state).toBe('running')
  await play.take(away)
  await tick()
  await tick()
  expect(await play.versions()).toEqual([5, 5, 6])
  const rest = '2 of 3 returned; 1 keeps 2.6.0: device 2 (updates of this device are switched off)'
  expect(await play.now(rolloutId)).toMatchObject({ state: 'rolled_back', with_failures: true, state_reason: rest })
  expect((await play.timeline(rolloutId)).slice(-2)).toEqual([
    ['rollback.ended', text],
    ['rollback.continued', rest],
  ])
})

it('a device that tries again keeps a rollback open', async () => {
  const play = await scene(2)
  const [first = ''] = play.ids
  const rolloutId = await play.begin()
  for (const id of play.ids) await play.take(id)
  await play.rollBack(rolloutId)
  api.advance(3600)
  const offer = await play.things.ask(first)
  if (!('envelope' in offer)) throw new Error(`no offer: ${offer.text}`)
  await play.things.install(first, offer.rolloutId, 'network_error')
  await tick()
  await tick()
  expect((await play.now(rolloutId)).state).toBe('rolling_back')
})

it('a device whose way back is lost more often than a rollout has attempts is offered it again, and returns', async () => {
  const play = await scene(1)
  const [only = ''] = play.ids
  const rolloutId = await play.begin()
  await play.take(only)
  await play.rollBack(rolloutId)
  for (let lost = 0; lost < 6; lost++) {
    expect(await play.things.ask(only)).toHaveProperty('envelope')
    // Two polling intervals without a report, then the longest wait before the next attempt.
    api.advance(7200)
    await tick()
    api.advance(9600)
    expect((await play.now(rolloutId)).state).toMatch(/^(rolling_back|rolled_back)$/)
  }
  await play.take(only)
  for (let round = 0; round < 3; round++) await tick()
  expect(await play.versions()).toEqual([5])
  expect(await play.now(rolloutId)).toMatchObject({ state: 'rolled_back', state_reason: 'The device has returned' })
})

it('a device that fails to install its former release has the attempts of any rollout', async () => {
  const play = await scene(1)
  const [only = ''] = play.ids
  const rolloutId = await play.begin()
  await play.take(only)
  await play.rollBack(rolloutId)
  const offer = await play.things.ask(only)
  if (!('envelope' in offer)) throw new Error(`no offer: ${offer.text}`)
  await play.things.install(only, offer.rolloutId, 'boot_failed')
  for (let round = 0; round < 3; round++) await tick()
  expect(await play.things.ask(only)).not.toHaveProperty('envelope')
  expect(await play.now(rolloutId)).toMatchObject({ state: 'rolled_back', with_failures: true })
})

it('devices that finish one after the other join the open rollback', async () => {
  const play = await scene(3)
  const rolloutId = await play.begin()
  for (const id of play.ids) {
    await play.things.ask(id)
    await play.things.report(id, rolloutId, { type: 'install_started' })
  }
  await play.rollBack(rolloutId)
  for (const id of play.ids) {
    await play.things.report(id, rolloutId, { type: 'update_confirmed' })
    await tick()
  }
  const [back, ...others] = await play.backs(rolloutId)
  expect(others).toEqual([])
  expect((await play.now(back?.id ?? '')).counts).toMatchObject({ targeted: 3, waiting: 3 })
  expect(back?.target.device_ids?.toSorted()).toEqual(play.ids.toSorted())
  for (const id of play.ids) await play.take(id)
  await tick()
  await tick()
  expect(await play.now(rolloutId)).toMatchObject({ state: 'rolled_back', state_reason: 'All 3 devices have returned' })
})

it('a release signed before the list existed allows no rollback, and page, timeline and preview give the reason', async () => {
  const play = await scene(2, { withList: false })
  const [first = '', second = ''] = play.ids
  const rolloutId = await play.begin()
  await play.take(first)
  await play.things.ask(second)
  const why = '2.6.0 was signed before releases listed what they may return to'
  expect(await play.lookAhead(rolloutId)).toMatchObject({
    returns: [],
    stays: [{ reason: 'signed_before', text: why, count: 2 }],
    under_way: { returning: 0, staying: 1 },
  })
  await play.rollBack(rolloutId)
  await play.things.report(second, rolloutId, { type: 'update_cancelled' })
  await tick()
  const text = `0 of 1 returned; 1 keeps 2.6.0: device 0 (${why})`
  expect(await play.now(rolloutId)).toMatchObject({ state: 'rolled_back', with_failures: true, state_reason: text })
  expect((await play.timeline(rolloutId)).slice(-3)).toEqual([
    ['rollback.began', 'Rolling back: It leaks memory'],
    ['rollback.sent', `1 keeps 2.6.0: device 0 (${why})`],
    ['rollback.ended', text],
  ])
  const { body } = await api.call(contract.rolloutDevices, { rolloutId }, { as: play.ines })
  expect(body.devices[0]).toMatchObject({ device_name: 'device 0', state: 'succeeded', reason: why })
  expect(await play.backs(rolloutId)).toEqual([])
  expect(await play.versions()).toEqual([6, 5])
})

it('the result counts the returned devices and names the others with the reason', async () => {
  const play = await scene(5)
  const [, burned = '', alone = '', broken = ''] = play.ids
  await api.db.update(devices).set({ installedReleaseId: null }).where(eq(devices.id, alone))
  const rolloutId = await play.begin()
  for (const id of play.ids) await play.take(id)
  await api.db.update(devices).set({ rollbackVersion: 4 }).where(eq(devices.id, burned))
  expect(await play.lookAhead(rolloutId)).toMatchObject({
    returns: [{ release_id: play.old.id, display_version: '2.5.0', count: 3 }],
    stays: [
      { reason: 'rollback_number', count: 1, sample: [{ name: 'device 1' }] },
      { reason: 'no_former_release', count: 1, sample: [{ name: 'device 2' }] },
    ],
    under_way: { returning: 0, staying: 0 },
  })
  await play.rollBack(rolloutId)
  const [back] = await play.backs(rolloutId)
  for (const id of play.ids) {
    const offer = await play.things.ask(id)
    if (!('envelope' in offer)) continue
    if (id === broken)
      await play.things.report(id, offer.rolloutId, {
        type: 'update_failed',
        reason_code: 'pre_install_failed',
        message: 'No battery',
      })
    else await play.things.install(id, offer.rolloutId)
  }
  expect(back).toBeDefined()
  await tick()
  await tick()
  const ended = await play.now(rolloutId)
  expect(ended).toMatchObject({ state: 'rolled_back', with_failures: true })
  expect(ended.state_reason).toBe(
    '2 of 5 returned; 3 keep 2.6.0: device 1 (the device has a higher rollback number in hardware); ' +
      'device 2 (it ran no release of this project before); device 3 (its rollback failed: No battery)',
  )
  expect(await play.versions()).toEqual([5, 6, 6, 6, 5])
})

it('at most five of the remaining devices are named', async () => {
  const play = await scene(8, { withList: false })
  const rolloutId = await play.begin()
  for (const id of play.ids) await play.take(id)
  await play.rollBack(rolloutId)
  await tick()
  expect((await play.now(rolloutId)).state_reason).toContain(
    '0 of 8 returned; 8 keep 2.6.0: device 0, device 1, device 2, device 3, device 4 and 3 more (2.6.0 was signed before',
  )
})

it.each([
  ['revoked', '2.5.0 was revoked', 'former_withdrawn'],
  ['expired', 'the manifest of 2.5.0 has expired', 'former_expired'],
])('devices keep the release when the previous one is %s', async (how, text, reason) => {
  const play = await scene(1)
  const rolloutId = await play.begin()
  for (const id of play.ids) await play.take(id)
  const releaseId = play.old.id
  if (how === 'revoked') await api.call(revokeRelease, { releaseId }, { as: play.ines, body: { reason: 'Bricks' } })
  else await api.db.update(releases).set({ expiresAt: api.deps.clock() }).where(eq(releases.id, releaseId))
  expect((await play.lookAhead(rolloutId)).stays).toMatchObject([{ reason, text, count: 1 }])
  await play.rollBack(rolloutId)
  await tick()
  expect(await play.now(rolloutId)).toMatchObject({
    state: 'rolled_back',
    with_failures: true,
    state_reason: `0 of 1 returned; 1 keeps 2.6.0: device 0 (${text})`,
  })
})

it('devices keep the release when they trust no key of the previous one, or its version is not listed', async () => {
  const play = await scene(2)
  const narrow = await play.maker.signed({ version: 7, bytes: randomBytes(8), mayReturnTo: [4] })
  const rolloutId = await play.begin(narrow.id)
  for (const id of play.ids) await play.take(id)
  expect((await play.lookAhead(rolloutId)).stays).toMatchObject([
    { reason: 'not_listed', text: 'v7 does not list 2.5.0 as a version to return to', count: 2 },
  ])
  const wide = await scene(1)
  const other = await wide.begin()
  for (const id of wide.ids) await wide.take(id)
  await api.db
    .update(devices)
    .set({ trustedKeys: ['f'.repeat(64)] })
    .where(eq(devices.projectId, wide.projectId))
  expect((await wide.lookAhead(other)).stays).toMatchObject([{ reason: 'key_not_trusted', count: 1 }])
})

it('a rollback without a device that has the release ends at once and says so', async () => {
  const play = await scene(2)
  const rolloutId = await play.begin()
  await play.rollBack(rolloutId)
  await tick()
  expect(await play.now(rolloutId)).toMatchObject({
    state: 'rolled_back',
    with_failures: false,
    state_reason: 'No device has 2.6.0',
  })
})

it('no wave of a rolled back, cancelled or expired rollout continues to soak or wait', async () => {
  const play = await scene(4)
  const rolloutId = await play.begin(play.bad.id, [25, 100])
  for (const id of play.ids) {
    const offer = await play.things.ask(id)
    if ('envelope' in offer) await play.things.install(id, offer.rolloutId)
  }
  await tick()
  expect((await play.now(rolloutId)).waves.map(({ state }) => state)).toEqual(['soaking', 'waiting'])
  const answer = await play.rollBack(rolloutId)
  expect(answer.waves.map(({ state }) => state)).toEqual(['stopped', 'stopped'])
  const again = await play.begin(play.bad.id)
  const cancelled = await api.call(
    rolloutSteps.cancelRollout,
    { rolloutId: again },
    { as: play.ines, body: { mode: 'stop_new' } },
  )
  expect(cancelled.body.waves.map(({ state }) => state)).toEqual(['stopped'])
  const third = await play.begin(play.bad.id)
  await api.db
    .update(rollouts)
    .set({ endAt: api.deps.clock() })
    .where(and(eq(rollouts.id, third)))
  await tick()
  expect(await play.now(third)).toMatchObject({ state: 'expired', waves: [{ state: 'stopped' }] })
})

it('two ticks at the same time roll each device back once', async () => {
  const play = await scene(4)
  const rolloutId = await play.begin()
  for (const id of play.ids) {
    await play.things.ask(id)
    await play.things.report(id, rolloutId, { type: 'install_started' })
  }
  await play.rollBack(rolloutId)
  for (const id of play.ids) await play.things.report(id, rolloutId, { type: 'update_confirmed' })
  await Promise.all([tick(), tick(), tick()])
  const found = await play.backs(rolloutId)
  expect(found.flatMap(({ target }) => target.device_ids ?? []).toSorted()).toEqual(play.ids.toSorted())
})

it('a device in quarantine or pause returns when that ends; the rollback ends before and names it with what helps', async () => {
  const play = await scene(3)
  const [first = '', tried = '', paused = ''] = play.ids
  const rolloutId = await play.begin()
  for (const id of play.ids) await play.take(id)
  const until = new Date(api.deps.clock().getTime() + 7_200_000)
  const quarantine = { quarantineUntil: until, quarantineReason: '3 failed attempts', quarantineReleaseId: play.old.id }
  await api.db.update(devices).set(quarantine).where(eq(devices.id, tried))
  await api.db.update(devices).set({ updatesPausedUntil: until }).where(eq(devices.id, paused))
  expect((await play.lookAhead(rolloutId)).returns).toMatchObject([{ count: 3 }])
  await play.rollBack(rolloutId)
  await play.take(first)
  await api.db.update(devices).set({ lastSeenAt: api.deps.clock() }).where(eq(devices.projectId, play.projectId))
  for (let round = 0; round < 3; round++) await tick()
  expect(await play.now(rolloutId)).toMatchObject({
    state: 'rolled_back',
    with_failures: true,
    state_reason:
      '1 of 3 returned; 1 is in quarantine and returns when that ends or is cleared: device 1; ' +
      '1 is paused and returns when that ends or its updates are resumed: device 2',
  })
  expect(await play.things.ask(tried)).toMatchObject({ reason: 'paused' })
  // A person clears the quarantine of one; the pause of the other ends by itself.
  await api.db.update(devices).set({ quarantineUntil: null }).where(eq(devices.id, tried))
  await play.take(tried)
  api.advance(7201)
  await play.take(paused)
  for (let round = 0; round < 3; round++) await tick()
  expect(await play.versions()).toEqual([5, 5, 5])
  expect((await play.now(rolloutId)).state_reason).toBe('All 3 devices have returned')
})

it('a device that is online and loses every download does not keep a rollback open, is named, and returns when one arrives', async () => {
  const play = await scene(1)
  const [only = ''] = play.ids
  const rolloutId = await play.begin()
  await play.take(only)
  await play.rollBack(rolloutId)
  const states: string[] = []
  for (let lost = 0; lost < 6; lost++) {
    const offer = await play.things.ask(only)
    if (!('envelope' in offer)) throw new Error(`no offer: ${offer.text}`)
    await play.things.report(only, offer.rolloutId, { type: 'update_accepted' }, { type: 'download_started' })
    api.advance(7200)
    await api.db.update(devices).set({ lastSeenAt: api.deps.clock() }).where(eq(devices.id, only))
    // The first tick ends the lost attempt, the second one finds that the rollback waits for nothing else.
    await tick()
    await tick()
    states.push((await play.now(rolloutId)).state)
    api.advance(9600)
  }
  // As many attempts as any rollout has by default.
  expect(states).toEqual(['rolling_back', 'rolling_back', 'rolling_back', 'rolled_back', 'rolled_back', 'rolled_back'])
  expect((await play.now(rolloutId)).state_reason).toBe(
    '0 of 1 returned; 1 loses every download and is offered it again, check its connection: device 0',
  )
  await play.take(only)
  for (let round = 0; round < 3; round++) await tick()
  expect(await play.versions()).toEqual([5])
  expect((await play.now(rolloutId)).state_reason).toBe('The device has returned')
})

it('a rollback ends without devices whose way back was paused by a person, names them, and what returns them', async () => {
  const play = await scene(2)
  const rolloutId = await play.begin()
  for (const id of play.ids) await play.take(id)
  await play.rollBack(rolloutId)
  await api.db.update(devices).set({ lastSeenAt: api.deps.clock() }).where(eq(devices.projectId, play.projectId))
  const [back] = await play.backs(rolloutId)
  const params = { rolloutId: back?.id ?? '' }
  expect((await api.call(rolloutSteps.pauseRollout, params, { as: play.ines, body: {} })).status).toBe(200)
  await tick()
  expect(await play.now(rolloutId)).toMatchObject({
    state: 'rolled_back',
    with_failures: true,
    state_reason: '0 of 2 returned; 2 wait until the rollout that sends them back is resumed: device 0, device 1',
  })
  expect((await api.call(rolloutSteps.resumeRollout, params, { as: play.ines, body: {} })).status).toBe(200)
  for (const id of play.ids) await play.take(id)
  for (let round = 0; round < 2; round++) await tick()
  expect((await play.now(rolloutId)).state_reason).toBe('All 2 devices have returned')
})

it.each(['open', 'paused'])(
  'a device does not return by a way back that is %s when the manifest of its former release expires, and is named with that',
  async (state) => {
    const play = await scene(3)
    const [first = '', second = '', late = ''] = play.ids
    const rolloutId = await play.begin()
    for (const id of play.ids) await play.take(id)
    await play.rollBack(rolloutId)
    await play.take(first)
    const [back] = await play.backs(rolloutId)
    const params = { rolloutId: back?.id ?? '' }
    const offer = await play.things.ask(late)
    if (!('envelope' in offer)) throw new Error(`no offer: ${offer.text}`)
    await play.things.report(late, params.rolloutId, { type: 'update_accepted' }, { type: 'install_started' })
    if (state === 'paused') await api.call(rolloutSteps.pauseRollout, params, { as: play.ines, body: {} })
    await api.db.update(releases).set({ expiresAt: api.deps.clock() }).where(eq(releases.id, play.old.id))
    expect(await play.things.ask(second)).not.toHaveProperty('envelope')
    await tick()
    // One that has the files already still returns.
    expect((await play.now(rolloutId)).state).toBe('rolling_back')
    await play.things.report(late, params.rolloutId, { type: 'update_confirmed' })
    for (let round = 0; round < 2; round++) await tick()
    const text = 'The manifest of 2.5.0 has expired'
    expect(await play.now(params.rolloutId)).toMatchObject({ state: 'expired', state_reason: text })
    expect(await play.now(rolloutId)).toMatchObject({
      state: 'rolled_back',
      with_failures: true,
      state_reason: '2 of 3 returned; 1 keeps 2.6.0: device 1 (the manifest of 2.5.0 has expired)',
    })
  },
)

it('a device that is offline when the manifest of its former release expires is not promised to return any more', async () => {
  const play = await scene(1)
  const rolloutId = await play.begin()
  for (const id of play.ids) await play.take(id)
  await play.rollBack(rolloutId)
  api.advance(3600)
  await tick()
  expect((await play.now(rolloutId)).state_reason).toContain('is offline and returns at the next check-in')
  await api.db.update(releases).set({ expiresAt: api.deps.clock() }).where(eq(releases.id, play.old.id))
  for (let round = 0; round < 2; round++) await tick()
  expect((await play.now(rolloutId)).state_reason).toBe(
    '0 of 1 returned; 1 keeps 2.6.0: device 0 (the manifest of 2.5.0 has expired)',
  )
})

it('a device that is deleted when the manifest of its former release expires is named as soon as it is restored', async () => {
  const play = await scene(2)
  const [gone = '', other = ''] = play.ids
  const rolloutId = await play.begin()
  for (const id of play.ids) await play.take(id)
  await play.rollBack(rolloutId)
  await play.take(other)
  await api.db.update(devices).set({ deletedAt: api.deps.clock() }).where(eq(devices.id, gone))
  await api.db.update(releases).set({ expiresAt: api.deps.clock() }).where(eq(releases.id, play.old.id))
  for (let round = 0; round < 3; round++) await tick()
  expect((await play.now(rolloutId)).state_reason).toBe('The device has returned')
  await api.db.update(devices).set({ deletedAt: null }).where(eq(devices.id, gone))
  await tick()
  expect((await play.now(rolloutId)).state_reason).toBe(
    '1 of 2 returned; 1 keeps 2.6.0: device 0 (the manifest of 2.5.0 has expired)',
  )
})

it('a device that was sent back and has the release again is named with that, not with a failure', async () => {
  const play = await scene(1)
  const [only = ''] = play.ids
  const rolloutId = await play.begin()
  await play.take(only)
  await play.rollBack(rolloutId)
  await play.take(only)
  const [back] = await play.backs(rolloutId)
  await play.rollBack(back?.id ?? '')
  await play.take(only)
  for (let round = 0; round < 3; round++) await tick()
  expect(await play.versions()).toEqual([6])
  expect((await play.now(rolloutId)).state_reason).toBe('0 of 1 returned; 1 keeps 2.6.0: device 0 (it was installed again)')
})

it('another open rollout of the release is named before the rollback, and installs it on no device that was sent back', async () => {
  const play = await scene(2)
  const [first = '', second = ''] = play.ids
  const rolloutId = await play.begin()
  await play.take(first)
  const other = await play.begin(play.bad.id, [100], 'dynamic')
  expect((await play.lookAhead(rolloutId)).also_offered).toMatchObject([{ id: other }])
  api.advance(1)
  await play.rollBack(rolloutId)
  await play.take(first)
  expect((await play.versions())[0]).toBe(5)
  // As long as the review of all devices waits.
  api.advance(700)
  await tick()
  expect((await play.now(other)).counts.targeted).toBe(2)
  expect(await play.things.ask(first)).not.toHaveProperty('envelope')
  // A person has found that the release is good after all.
  await play.begin()
  await play.take(first)
  expect((await play.versions())[0]).toBe(6)
  // One that was not sent back is not concerned.
  expect(await play.things.ask(second)).toMatchObject({ rolloutId: other })
})

it('an update that is deferred after the rollback began ends with it', async () => {
  const play = await scene(1)
  const [only = ''] = play.ids
  const rolloutId = await play.begin()
  expect(await play.things.ask(only)).toHaveProperty('envelope')
  await play.things.report(only, rolloutId, { type: 'update_accepted' })
  await play.rollBack(rolloutId)
  await play.things.report(only, rolloutId, { type: 'update_deferred', reason_code: 'user_deferred' })
  await tick()
  expect(await play.now(rolloutId)).toMatchObject({ state: 'rolled_back', counts: { waiting: 0, running: 0 } })
})

it('a device that a later rollout has updated is not taken back by an earlier one; one that started later takes it back', async () => {
  const play = await scene(2)
  const [first = '', second = ''] = play.ids
  const backTo = async () => {
    const releaseId = play.old.id
    const plan = { target: { everything: true }, waves: waves(100) }
    const preview = { as: play.ines, body: { ...plan, allow_downgrade: true } }
    const { preview_hash } = (await api.call(rolloutPlans.previewRollout, { releaseId }, preview)).body
    const allow_downgrade = { reason: 'It fails at night', version: play.old.version }
    const body = { ...plan, allow_downgrade, preview_hash }
    const made = await api.call(contract.createRollout, { releaseId }, { as: play.ines, body })
    expect(made.status, made.text).toBe(201)
    expect((await api.call(rolloutSteps.startRollout, { rolloutId: made.body.id }, { as: play.ines })).status).toBe(200)
    return made.body.id
  }
  await play.begin()
  for (const id of play.ids) await play.take(id)
  const earlier = await backTo()
  await play.take(first)
  expect(await play.versions()).toEqual([5, 6])
  api.advance(60)
  const good = await play.maker.signed({ version: 7, bytes: randomBytes(8), displayVersion: '2.6.1' })
  await play.begin(good.id)
  for (const id of play.ids) await play.take(id)
  expect(await play.versions()).toEqual([7, 7])
  expect(await play.things.ask(second)).toMatchObject({ reason: 'up_to_date' })
  const [left] = await api.db
    .select()
    .from(rolloutDevices)
    .where(and(eq(rolloutDevices.rolloutId, earlier), eq(rolloutDevices.deviceId, second)))
  expect(left).toMatchObject({ state: 'skipped', reason: 'A later rollout has installed 2.6.1' })
  api.advance(60)
  await backTo()
  for (const id of play.ids) await play.take(id)
  expect(await play.versions()).toEqual([5, 5])
})

it('a device that was installing a newer release when it was sent back keeps that one', async () => {
  const play = await scene(1)
  const [only = ''] = play.ids
  const rolloutId = await play.begin()
  await play.take(only)
  const good = await play.maker.signed({ version: 7, bytes: randomBytes(8), displayVersion: '2.6.1' })
  const better = await play.begin(good.id)
  expect(await play.things.ask(only)).toMatchObject({ rolloutId: better })
  await play.things.report(only, better, { type: 'install_started' })
  api.advance(60)
  await play.rollBack(rolloutId)
  await play.things.report(only, better, { type: 'update_confirmed' })
  expect(await play.versions()).toEqual([7])
  expect(await play.things.ask(only)).toMatchObject({ reason: 'up_to_date' })
  for (let round = 0; round < 2; round++) await tick()
  expect(await play.now(rolloutId)).toMatchObject({
    state: 'rolled_back',
    state_reason: '0 of 1 returned; 1 runs another release',
  })
})

it.each(['before the rollback', 'before it has returned'])(
  'a device that was deleted %s, and is restored after its end, is sent back then',
  async (when) => {
    const play = await scene(2)
    const [gone = '', other = ''] = play.ids
    const rolloutId = await play.begin()
    for (const id of play.ids) await play.take(id)
    const set = (deletedAt: Date | null) => api.db.update(devices).set({ deletedAt }).where(eq(devices.id, gone))
    if (when === 'before the rollback') await set(api.deps.clock())
    await play.rollBack(rolloutId)
    await set(api.deps.clock())
    await play.take(other)
    for (let round = 0; round < 3; round++) await tick()
    expect(await play.now(rolloutId)).toMatchObject({ state: 'rolled_back', state_reason: 'The device has returned' })
    expect(await play.versions()).toEqual([6, 5])
    await set(null)
    await tick()
    await play.take(gone)
    for (let round = 0; round < 2; round++) await tick()
    expect(await play.versions()).toEqual([5, 5])
    expect((await play.now(rolloutId)).state_reason).toBe('All 2 devices have returned')
  },
)

/** An update that times out while the device installs, so that the rollback ends without it. */
const timedOut = async () => {
  const play = await scene(2)
  const [late = ''] = play.ids
  const rolloutId = await play.begin()
  expect(await play.things.ask(late)).toHaveProperty('envelope')
  await play.things.report(late, rolloutId, { type: 'update_accepted' }, { type: 'download_completed' })
  api.advance(7200)
  await tick()
  await play.rollBack(rolloutId)
  await tick()
  await tick()
  expect((await play.now(rolloutId)).state).toBe('rolled_back')
  return { ...play, rolloutId, late }
}

it('a device whose update has timed out is asked to stop once its rollout is rolled back', async () => {
  const play = await timedOut()
  const answer = await play.things.report(play.late, play.rolloutId, { type: 'verification_started' })
  expect(answer.abort).toBe(true)
})

it('a device that finishes after the rollback has ended is sent back, but not one that a later rollout has updated', async () => {
  const play = await timedOut()
  const backs = async () => (await play.backs(play.rolloutId)).length
  expect(await backs()).toBe(0)
  api.advance(60)
  // A person has found that the release is good after all.
  const again = await play.begin()
  await play.take(play.late)
  await tick()
  await tick()
  expect([await backs(), (await play.versions())[0]]).toEqual([0, 6])
  expect((await play.now(again)).counts.succeeded).toBe(1)

  const other = await timedOut()
  // What its next check-in reports.
  const installed = { installedReleaseId: other.bad.id, installedVersion: 6, installedConfirmed: true }
  await api.db.update(devices).set(installed).where(eq(devices.id, other.late))
  await tick()
  expect((await other.backs(other.rolloutId)).length).toBe(1)
})

it('a device that confirms the release itself after the rollback has ended is sent back', async () => {
  const play = await timedOut()
  await play.things.report(play.late, play.rolloutId, { type: 'update_confirmed' })
  expect((await play.versions())[0]).toBe(6)
  await tick()
  await play.take(play.late)
  for (let round = 0; round < 2; round++) await tick()
  expect((await play.versions())[0]).toBe(5)
  expect((await play.now(play.rolloutId)).state_reason).toBe('The device has returned')
})

it('a device that finishes after the rollback has ended and has to keep the release is named with the reason', async () => {
  const play = await timedOut()
  await api.db.update(devices).set({ lifecycle: 'disabled' }).where(eq(devices.id, play.late))
  api.advance(60)
  await play.things.report(play.late, play.rolloutId, { type: 'update_confirmed' })
  await tick()
  expect(await play.now(play.rolloutId)).toMatchObject({
    state: 'rolled_back',
    with_failures: true,
    state_reason: '0 of 1 returned; 1 keeps 2.6.0: device 0 (the device is disabled)',
  })
})

it.each(['a report', 'a check-in'])(
  'a rollback is summarized again when a device has returned whose way back had timed out, as %s says',
  async (how) => {
    const play = await scene(2)
    const [slow = '', other = ''] = play.ids
    const rolloutId = await play.begin()
    for (const id of play.ids) await play.take(id)
    await play.rollBack(rolloutId)
    await play.take(other)
    const offer = await play.things.ask(slow)
    if (!('envelope' in offer)) throw new Error(`no offer: ${offer.text}`)
    await play.things.report(slow, offer.rolloutId, { type: 'update_accepted' }, { type: 'install_started' })
    api.advance(7201)
    for (let round = 0; round < 3; round++) await tick()
    const text = '1 of 2 returned; 1 keeps 2.6.0: device 0 (its rollback failed: No report while installing)'
    expect(await play.now(rolloutId)).toMatchObject({ state: 'rolled_back', with_failures: true, state_reason: text })
    api.advance(60)
    if (how === 'a report') await play.things.report(slow, offer.rolloutId, { type: 'update_confirmed' })
    else {
      const installed = { installedReleaseId: play.old.id, installedVersion: 5, installedConfirmed: true }
      await api.db.update(devices).set(installed).where(eq(devices.id, slow))
    }
    await tick()
    expect(await play.now(rolloutId)).toMatchObject({ with_failures: false, state_reason: 'All 2 devices have returned' })
    const { revision } = await play.now(rolloutId)
    await tick()
    expect((await play.now(rolloutId)).revision).toBe(revision)
  },
)

it.each(['a person', 'the rollout'])(
  'a device whose update had timed out and was queued again by %s is sent back when it finishes the first try late',
  async (who) => {
    const play = await scene(2)
    const [late = ''] = play.ids
    const rolloutId = await play.begin()
    expect(await play.things.ask(late)).toHaveProperty('envelope')
    await play.things.report(late, rolloutId, { type: 'update_accepted' })
    if (who === 'a person') await play.things.report(late, rolloutId, { type: 'download_completed' })
    api.advance(7200)
    await tick()
    if (who === 'a person') expect((await api.call(rolloutSteps.retryFailed, { rolloutId }, { as: play.ines })).status).toBe(200)
    expect((await play.now(rolloutId)).counts).toMatchObject({ waiting: 2, failed: 0 })
    await play.rollBack(rolloutId)
    await tick()
    await tick()
    expect((await play.now(rolloutId)).state).toBe('rolled_back')
    expect((await play.things.report(late, rolloutId, { type: 'verification_started' })).abort).toBe(true)
    // It could not stop any more: what its next check-in reports.
    const installed = { installedReleaseId: play.bad.id, installedVersion: 6, installedConfirmed: true }
    await api.db.update(devices).set(installed).where(eq(devices.id, late))
    await tick()
    await play.take(late)
    for (let round = 0; round < 2; round++) await tick()
    expect((await play.versions())[0]).toBe(5)
    expect((await play.now(rolloutId)).state_reason).toBe('The device has returned')
  },
)

it('a device whose update has timed out is asked to stop once its release is revoked', async () => {
  const play = await scene(1)
  const [late = ''] = play.ids
  const rolloutId = await play.begin()
  expect(await play.things.ask(late)).toHaveProperty('envelope')
  await play.things.report(late, rolloutId, { type: 'update_accepted' }, { type: 'download_completed' })
  api.advance(7200)
  await tick()
  expect((await play.things.report(late, rolloutId, { type: 'download_resumed' })).abort).toBe(false)
  await api.db.update(releases).set({ state: 'revoked' }).where(eq(releases.id, play.bad.id))
  expect((await play.things.report(late, rolloutId, { type: 'verification_started' })).abort).toBe(true)
})

it('a device whose update has timed out is asked to stop once its rollout is cancelled with its running updates', async () => {
  const play = await scene(2)
  const [late = '', other = ''] = play.ids
  const rolloutId = await play.begin()
  for (const id of play.ids) {
    expect(await play.things.ask(id)).toHaveProperty('envelope')
    await play.things.report(id, rolloutId, { type: 'update_accepted' }, { type: 'download_completed' })
  }
  api.advance(7200)
  await tick()
  await play.things.report(other, rolloutId, { type: 'download_resumed' })
  const body = { reason: 'It leaks memory', mode: 'abort_all' as const }
  const cancelled = await api.call(rolloutSteps.cancelRollout, { rolloutId }, { as: play.ines, body })
  expect(cancelled.status, cancelled.text).toBe(200)
  await tick()
  expect((await play.now(rolloutId)).state).toBe('cancelled')
  expect((await play.things.report(late, rolloutId, { type: 'verification_started' })).abort).toBe(true)
})
