import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gate, Wave } from '../../../../contract/updates/rollout-plans'
import type { NewRollout } from '../../../../contract/updates/rollouts'
import * as rolloutPlans from '../../../../contract/updates/rollout-plans'
import * as rolloutSteps from '../../../../contract/updates/rollout-steps'
import * as contract from '../../../../contract/updates/rollouts'
import type { Infer } from 'superstruct'
import { release as readRelease, revokeRelease } from '../../../../contract/updates/releases'
import { revokeSigningKey } from '../../../../contract/fleet/keys'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { fleet } from '../../../../tests/support/fleet'
import type { Person } from '../../../../tests/support/people'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { devices } from '../../../fleet/schema/devices'
import { rolloutTimeline } from '../../schema/rollouts'
import { tickRollouts } from '../tick'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const gate: Gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 60, then: 'continue' }
const waves = (...values: number[]): Wave[] => values.map((value) => ({ kind: 'percent', value, gate }))
type Asked = Partial<Infer<typeof NewRollout>>

const scene = async (count: number, models = ['gw']) => {
  const ines: Person = await api.person({ name: 'Ines' })
  const projectId = await api.project({ ownerId: ines.id })
  const maker = await createReleaseFixture(api, ines, projectId)
  const release = await maker.signed({ version: 2, bytes: randomBytes(64), models: ['gw'] })
  const things = fleet(api, projectId)
  const ids = await things.add({ count, trustedKeys: [maker.key.publicKey.fingerprint], models })
  const made = async (asked: Asked = {}, releaseId = release.id) => {
    const { allow_downgrade, ...plan } = { target: { everything: true }, waves: waves(1, 10, 50, 100), ...asked }
    const look = { target: plan.target, waves: plan.waves, ...(allow_downgrade && { allow_downgrade: true }) }
    const seen = await api.call(rolloutPlans.previewRollout, { releaseId }, { as: ines, body: look })
    expect(seen.status, seen.text).toBe(200)
    const body = {
      max_concurrent: 10_000,
      ...plan,
      allow_downgrade: allow_downgrade ?? null,
      preview_hash: seen.body.preview_hash,
    }
    const rollout = await api.call(contract.createRollout, { releaseId }, { as: ines, body })
    expect(rollout.status, rollout.text).toBe(201)
    return { seen: seen.body, rollout: rollout.body }
  }
  const started = async (asked: Asked = {}) => {
    const { rollout } = await made(asked)
    const begun = await api.call(rolloutSteps.startRollout, { rolloutId: rollout.id }, { as: ines })
    expect(begun.status, begun.text).toBe(200)
    return begun.body
  }
  const now = async (rolloutId: string) => (await api.call(contract.rollout, { rolloutId }, { as: ines })).body
  return { ines, projectId, maker, release, ids, things, made, started, now }
}

const tick = () => tickRollouts(api.deps)

/** Every unfinished device asks once, eight at a time, and installs what it is offered. */
const round = async ({ ids, things }: Pick<Awaited<ReturnType<typeof scene>>, 'ids' | 'things'>, done = new Set<string>()) => {
  const asking = ids.filter((id) => !done.has(id))
  let offered = 0
  const one = async (id: string) => {
    const offer = await things.ask(id)
    if (!('envelope' in offer)) return
    offered++
    done.add(id)
    await things.install(id, offer.rolloutId)
  }
  for (let at = 0; at < asking.length; at += 8) await Promise.all(asking.slice(at, at + 8).map(one))
  return offered
}

it('200 devices through four waves, each after the gate of the one before', async () => {
  const play = await scene(200)
  const rollout = await play.started()
  const sizes: number[] = []
  const done = new Set<string>()
  for (let n = 0; n < 20 && (await play.now(rollout.id)).state === 'running'; n++) {
    sizes.push(await round(play, done))
    await tick()
    api.advance(61)
    await tick()
  }
  expect(sizes).toEqual([2, 18, 80, 100])
  const end = await play.now(rollout.id)
  expect(end).toMatchObject({ state: 'completed', with_failures: false, counts: { targeted: 200, succeeded: 200 } })
  expect(end.waves.map(({ state }) => state)).toEqual(['passed', 'passed', 'passed', 'passed'])
  expect((await play.things.ask(play.ids[0] ?? '')).valueOf()).toMatchObject({ reason: 'up_to_date' })
  const [device] = await api.db
    .select()
    .from(devices)
    .where(eq(devices.id, play.ids[0] ?? ''))
  expect(device).toMatchObject({ updateState: 'succeeded', updateRolloutId: rollout.id, installedVersion: 2 })
})

it('halts on failures: no new offers, running updates continue, a person resumes with a reason', async () => {
  const play = await scene(100)
  const rollout = await play.started()
  await round(play)
  await tick()
  api.advance(61)
  await tick()
  // Wave 2: the first device gets its offer and is still installing when the others fail.
  let slow = ''
  for (const id of play.ids) {
    const offer = await play.things.ask(id)
    if (!('envelope' in offer)) continue
    if (slow === '') slow = id
    else await play.things.install(id, offer.rolloutId, 'boot_failed')
  }
  await tick()
  const halted = await play.now(rollout.id)
  expect(halted).toMatchObject({ state: 'halted', counts: { succeeded: 1, failed: 8, running: 1 } })
  expect(halted.waves[1]).toMatchObject({ state: 'failed', failure_percent: 100 })
  expect(await round({ ...play, ids: play.ids.filter((id) => id !== slow) })).toBe(0)
  await play.things.install(slow, rollout.id)
  expect((await play.now(rollout.id)).counts).toMatchObject({ succeeded: 2, running: 0 })
  const params = { rolloutId: rollout.id }
  const silent = await api.call(rolloutSteps.resumeRollout, params, { as: play.ines, body: {} })
  expect([silent.status, silent.error.details[0]?.field]).toEqual([422, 'reason'])
  const resumed = await api.call(rolloutSteps.resumeRollout, params, { as: play.ines, body: { reason: 'Bad power supply' } })
  expect(resumed.body.state).toBe('running')
  await tick()
  api.advance(61)
  await tick()
  expect(await play.now(rollout.id)).toMatchObject({ state: 'running', current_wave: 3 })
})

it('two ticks at the same time act once', async () => {
  const play = await scene(20)
  const rollout = await play.started({ waves: waves(50, 100) })
  await round(play)
  await Promise.all([tick(), tick()])
  api.advance(61)
  await Promise.all(Array.from({ length: 6 }, tick))
  const notes = await api.db.select().from(rolloutTimeline).where(eq(rolloutTimeline.rolloutId, rollout.id))
  const kinds = notes.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ kind }) => kind)
  expect(kinds).toEqual(['rollout.created', 'rollout.started', 'wave.filled', 'gate.passed'])
  expect(await play.now(rollout.id)).toMatchObject({ current_wave: 2, state: 'running' })
})

describe('time', () => {
  it('times out an unused offer, retries after the back-off, and never exceeds its retries', async () => {
    const play = await scene(1)
    const [id = ''] = play.ids
    const rollout = await play.started({ waves: waves(100), retries: 1 })
    expect(await play.things.ask(id)).toHaveProperty('envelope')
    api.advance(121)
    await tick()
    expect(await play.things.ask(id)).toMatchObject({ reason: 'paused' })
    api.advance(300)
    expect(await play.things.ask(id)).toHaveProperty('envelope')
    api.advance(121)
    await tick()
    expect(await play.now(rollout.id)).toMatchObject({ state: 'halted', counts: { failed: 1, waiting: 0 } })
    const retried = await api.call(rolloutSteps.retryFailed, { rolloutId: rollout.id }, { as: play.ines })
    expect(retried.body.counts).toMatchObject({ failed: 0, waiting: 1 })
  })

  it('keeps to concurrency and to the rate', async () => {
    const play = await scene(10)
    await play.started({ waves: waves(100), max_concurrent: 4, start_rate_per_min: 3 })
    const asked = () => Promise.all(play.ids.map((id) => play.things.ask(id)))
    const busy = (await asked()).filter((offer) => 'envelope' in offer).length
    expect(busy).toBe(3)
    api.advance(61)
    // The three running devices get the offer again; one more slot is free.
    expect((await asked()).filter((offer) => 'envelope' in offer).length).toBe(4)
  })

  it('starts at its time and ends at its end', async () => {
    const play = await scene(3)
    const at = (seconds: number) => `${new Date(api.deps.clock().getTime() + seconds * 1000).toISOString().slice(0, 19)}+00:00`
    const planned = await play.started({ waves: waves(100), start_at: at(600), end_at: at(1200) })
    expect(planned.state).toBe('scheduled')
    await tick()
    expect((await play.now(planned.id)).state).toBe('scheduled')
    api.advance(601)
    await tick()
    expect((await play.now(planned.id)).state).toBe('running')
    api.advance(600)
    await tick()
    expect(await play.now(planned.id)).toMatchObject({ state: 'expired', counts: { waiting: 0 } })
    expect(await round(play)).toBe(0)
  })
})

describe('people', () => {
  it('wait_for_user waits for a person', async () => {
    const play = await scene(4)
    const rollout = await play.started({
      waves: [{ ...waves(25)[0]!, gate: { ...gate, soak_s: 0, then: 'wait_for_user' } }, ...waves(100)],
    })
    await round(play)
    await tick()
    expect((await play.now(rollout.id)).state).toBe('waiting_for_user')
    expect(await round(play)).toBe(0)
    const on = await api.call(rolloutSteps.continueRollout, { rolloutId: rollout.id }, { as: play.ines })
    expect(on.body).toMatchObject({ state: 'running', current_wave: 2 })
    expect(await round(play)).toBe(3)
  })

  it('pause, resume, cancel with abort', async () => {
    const play = await scene(3)
    const [first = ''] = play.ids
    const { id: rolloutId } = await play.started({ waves: waves(100) })
    await play.things.ask(first)
    await api.call(rolloutSteps.pauseRollout, { rolloutId }, { as: play.ines, body: { reason: 'Lunch' } })
    expect(await play.things.ask(play.ids[1] ?? '')).toMatchObject({ reason: 'paused', text: 'Lunch' })
    await api.call(rolloutSteps.resumeRollout, { rolloutId }, { as: play.ines, body: {} })
    const cancelled = await api.call(rolloutSteps.cancelRollout, { rolloutId }, { as: play.ines, body: { mode: 'abort_all' } })
    expect(cancelled.body).toMatchObject({ state: 'cancelling', counts: { running: 1, waiting: 0 } })
    expect((await play.things.report(first, rolloutId, { type: 'download_started' })).abort).toBe(true)
    await play.things.report(first, rolloutId, { type: 'update_cancelled' })
    await tick()
    expect((await play.now(rolloutId)).state).toBe('cancelled')
    const again = await api.call(rolloutSteps.pauseRollout, { rolloutId }, { as: play.ines, body: {} })
    expect([again.status, again.error.message]).toEqual([409, 'This is not possible: the state is cancelled now'])
  })

  it('a second person must approve', async () => {
    const owner = await api.person({ name: 'Ola' })
    const organization = await api.organization(owner)
    const projectId = await api.project({ organizationId: organization.id })
    const maintainer = await api.member(organization.id, 'admin')
    const maker = await createReleaseFixture(api, maintainer, projectId)
    const release = await maker.signed({ version: 1, bytes: randomBytes(8) })
    await api.db.execute(`update projects set settings = settings || '{"require_approval": true}' where id = '${projectId}'`)
    const things = fleet(api, projectId)
    await things.add({ count: 1, version: 0, trustedKeys: [maker.key.publicKey.fingerprint] })
    const look = { target: { everything: true } }
    const releaseId = release.id
    const seen = await api.call(rolloutPlans.previewRollout, { releaseId }, { as: maintainer, body: look })
    const body = { ...look, preview_hash: seen.body.preview_hash }
    const { id: rolloutId } = (await api.call(contract.createRollout, { releaseId }, { as: maintainer, body })).body
    const early = await api.call(rolloutSteps.startRollout, { rolloutId }, { as: maintainer })
    expect([early.status, early.error.code]).toEqual([409, 'approval_needed'])
    await api.call(rolloutSteps.submitRollout, { rolloutId }, { as: maintainer, body: {} })
    const own = await api.call(rolloutSteps.approveRollout, { rolloutId }, { as: maintainer, body: {} })
    expect([own.status, own.error.code]).toEqual([409, 'self_approval'])
    const approved = await api.call(rolloutSteps.approveRollout, { rolloutId }, { as: owner, body: { comment: 'Fine' } })
    expect(approved.body).toMatchObject({ state: 'running', approval: { decision: 'approved', decided_by: 'Ola' } })
  })
})

describe('preview', () => {
  it('lists the devices of each wave, the excluded ones with the reason, and how many trust the key', async () => {
    const play = await scene(20, ['gw', 'gw', 'gw', 'cam'])
    await play.things.add({ count: 5, trustedKeys: [] })
    await play.things.add({ count: 2, version: 7, trustedKeys: [play.maker.key.publicKey.fingerprint] })
    const seen = await api.call(
      rolloutPlans.previewRollout,
      { releaseId: play.release.id },
      { as: play.ines, body: { target: { everything: true }, waves: waves(10, 100) } },
    )
    expect(seen.body).toMatchObject({ total: 20, key_coverage: { trusting: 15, total: 20 } })
    expect(seen.body.excluded.map(({ reason, count }) => [reason, count]).toSorted()).toEqual([
      ['hardware_matches', 5],
      ['version_newer', 2],
    ])
    const body = { target: { everything: true }, waves: waves(10, 100), preview_hash: seen.body.preview_hash }
    const params = { releaseId: play.release.id }
    const uncovered = await api.call(contract.createRollout, params, { as: play.ines, body })
    expect([uncovered.status, uncovered.error.code]).toEqual([409, 'key_coverage'])
    const told = { ...body, override_reason: 'The others follow next week' }
    const made = await api.call(contract.createRollout, params, { as: play.ines, body: told })
    const query = { wave: '1' }
    const first = await api.call(contract.rolloutDevices, { rolloutId: made.body.id }, { as: play.ines, query })
    const ids = (list: { id: string }[] | undefined) => list?.map(({ id }) => id).toSorted()
    expect(first.body.devices.map(({ device_id }) => device_id).toSorted()).toEqual(ids(seen.body.waves[0]?.sample))
    const stale = await api.call(contract.createRollout, params, { as: play.ines, body: told })
    expect([stale.status, stale.error.code]).toEqual([409, 'preview_stale'])
  })
})

describe('T-17: a withdrawn release is not offered', () => {
  it('a revoked release', async () => {
    const play = await scene(2)
    const { id } = await play.started({ waves: waves(100) })
    expect(await play.things.ask(play.ids[0] ?? '')).toHaveProperty('envelope')
    await api.call(revokeRelease, { releaseId: play.release.id }, { as: play.ines, body: { reason: 'Bricks' } })
    expect(await Promise.all(play.ids.map((device) => play.things.ask(device)))).not.toContainEqual(
      expect.objectContaining({ envelope: expect.anything() }),
    )
    expect((await play.now(id)).state).toBe('cancelling')
    expect((await play.things.report(play.ids[0] ?? '', id, { type: 'download_started' })).abort).toBe(true)
  })

  it('a release whose only key is revoked', async () => {
    const play = await scene(2)
    const { id } = await play.started({ waves: waves(100) })
    const body = { reason: 'Stolen' }
    await api.call(revokeSigningKey, { signingKeyId: play.maker.keyId }, { as: play.ines, body })
    expect((await play.now(id)).state).toBe('cancelling')
    expect(await round(play)).toBe(0)
    const marked = await api.call(readRelease, { releaseId: play.release.id }, { as: play.ines })
    expect(marked.body.state_reason).toContain('was revoked')
  })
})

it('rolls each device back to its previous release, where its manifest allows it', async () => {
  const play = await scene(3)
  const old = await play.maker.signed({ version: 3, bytes: randomBytes(8), downgradeFrom: [4] })
  const { rollout: first } = await play.made({ waves: waves(100) }, old.id)
  await api.call(rolloutSteps.startRollout, { rolloutId: first.id }, { as: play.ines })
  await round(play)
  const bad = await play.maker.signed({ version: 4, bytes: randomBytes(8) })
  const { rollout } = await play.made({ waves: waves(100) }, bad.id)
  await api.call(rolloutSteps.startRollout, { rolloutId: rollout.id }, { as: play.ines })
  expect(await round(play)).toBe(3)
  const back = await api.call(
    rolloutSteps.rollBackRollout,
    { rolloutId: rollout.id },
    { as: play.ines, body: { reason: 'It leaks memory' } },
  )
  expect([back.status, back.body.state]).toEqual([200, 'rolling_back'])
  expect(await round(play)).toBe(3)
  await tick()
  api.advance(61)
  await tick()
  expect((await play.now(rollout.id)).state).toBe('rolled_back')
  const rows = await api.db.select().from(devices).where(eq(devices.projectId, play.projectId))
  expect(rows.map(({ installedVersion }) => installedVersion)).toEqual([3, 3, 3])
})
