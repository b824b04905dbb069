import { eq, inArray } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectAuditLog } from '../../../../contract/accounts/audit'
import { overview } from '../../../../contract/overview/monitor'
import * as steps from '../../../../contract/updates/rollout-steps'
import { rollout, rolloutDevices } from '../../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { devices } from '../../../fleet/schema/devices'
import { createRolloutFixture, waves } from '../../../../tests/support/rollout-fixture'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const begin = async (count: number) => {
  const ines = await api.person({ name: 'Ines' })
  const play = await createRolloutFixture(api, ines, await api.project({ ownerId: ines.id }), count)
  const log = async () => (await api.call(projectAuditLog, { projectId: play.projectId }, { as: ines })).body.entries
  const resume = (rolloutId: string, body: { reason?: string; limits?: steps.GateLimits }) =>
    api.call(steps.resumeRollout, { rolloutId }, { as: ines, body })
  return { ...play, ines, log, resume }
}

/** Ten devices in two waves of five, the first wave halted by three failures. */
const halted = async () => {
  const play = await begin(10)
  const { id: rolloutId } = await play.start({ waves: waves(50, 100) })
  const offered: string[] = []
  for (const id of play.ids) if ('envelope' in (await play.things.ask(id))) offered.push(id)
  const [first = '', second = '', third = '', ...rest] = offered
  for (const id of [first, second, third]) await play.things.install(id, rolloutId, 'boot_failed')
  await play.tick()
  expect(await play.read(rolloutId)).toMatchObject({ state: 'halted', counts: { failed: 3, running: 2 } })
  return { ...play, rolloutId, failed: [first, second, third], rest }
}

const reason = 'The bench supply was weak'

describe('a halt by the gate', () => {
  it('is in the audit log as an act of the system, with what was measured', async () => {
    const play = await halted()
    expect((await play.log())[0]).toMatchObject({
      action: 'rollout.halt',
      actor: { kind: 'system', name: 'Rollout gate' },
      target: { kind: 'rollout', id: play.rolloutId },
      reason: 'Wave 1 was halted: 3 of 3 failed, at most 10 % may',
    })
  })
})

it('a device that confirms after its time limit has succeeded once it is retried', async () => {
  const play = await begin(1)
  const { id: rolloutId } = await play.start()
  const [only = ''] = play.ids
  expect(await play.things.ask(only)).toHaveProperty('envelope')
  await play.things.report(only, rolloutId, { type: 'update_accepted' }, { type: 'install_started' })
  api.advance(7200)
  await play.tick()
  expect(await play.read(rolloutId)).toMatchObject({ state: 'halted', counts: { failed: 1 } })
  // Its check-in says what it runs.
  const installed = { installedReleaseId: play.release.id, installedVersion: 2, installedConfirmed: true }
  await api.db.update(devices).set(installed).where(eq(devices.id, only))
  const ines = { ...play.ines, ...(await api.session(play.ines.id)) }
  expect((await api.call(steps.retryFailed, { rolloutId }, { as: ines })).status).toBe(200)
  expect(await play.things.ask(only)).toMatchObject({ reason: 'up_to_date' })
  const { body } = await api.call(rollout, { rolloutId }, { as: ines })
  expect(body.counts).toMatchObject({ succeeded: 1, failed: 0, waiting: 0 })
})

describe('resuming after a halt', () => {
  it('needs a reason of ten characters', async () => {
    const play = await halted()
    for (const said of [undefined, '', '   ', 'Go on']) {
      const refused = await play.resume(play.rolloutId, { ...(said !== undefined && { reason: said }) })
      expect([refused.status, refused.error.details[0]?.field]).toEqual([422, 'reason'])
    }
    expect((await play.read(play.rolloutId)).state).toBe('halted')
  })

  it('keeps the limits of the gate and does not count earlier failures', async () => {
    const play = await halted()
    const resumed = await play.resume(play.rolloutId, { reason })
    expect(resumed.body).toMatchObject({ state: 'running' })
    expect(resumed.body.waves[0]).toMatchObject({ gate: { max_failure_percent: 10, min_success_percent: 90 } })
    expect((await play.log())[0]).toMatchObject({ action: 'rollout.resume', reason, changes: [], actor: { name: 'Ines' } })
    for (const id of play.rest) await play.things.install(id, play.rolloutId)
    await play.tick()
    api.advance(61)
    await play.tick()
    expect(await play.read(play.rolloutId)).toMatchObject({ state: 'running', current_wave: 2 })
  })

  it('lets a wave soak anew that was halted while it was soaking', async () => {
    const play = await begin(10)
    const gate = { min_success_percent: 50, max_failure_percent: 20, min_sample: 3, soak_s: 60, then: 'continue' } as const
    const plan = [50, 100].map((value) => ({ kind: 'percent' as const, value, gate }))
    const { id: rolloutId } = await play.start({ waves: plan })
    const { body } = await api.call(rolloutDevices, { rolloutId }, { as: play.ines, query: { wave: '1' } })
    const first = body.devices.map(({ device_id }) => device_id)
    expect(await play.round(first.slice(0, 3))).toBe(3)
    await play.tick()
    const wave = async () => (await play.read(rolloutId)).waves[0]?.state
    expect(await wave()).toBe('soaking')
    // The other two were away.
    expect(await play.round(first.slice(3), 'boot_failed')).toBe(2)
    await play.tick()
    expect((await play.read(rolloutId)).state).toBe('halted')
    api.advance(3600)
    await play.resume(rolloutId, { reason })
    await play.tick()
    expect(await wave()).toBe('soaking')
    api.advance(61)
    await play.tick()
    expect(await play.read(rolloutId)).toMatchObject({ state: 'running', current_wave: 2 })
  })

  it('halts again when later updates exceed the limits', async () => {
    const play = await halted()
    api.advance(5)
    await play.resume(play.rolloutId, { reason })
    api.advance(5)
    for (const id of play.rest) await play.things.install(id, play.rolloutId, 'boot_failed')
    await play.tick()
    expect(await play.read(play.rolloutId)).toMatchObject({ state: 'halted', counts: { failed: 5 } })
  })

  it('changes the limits of this wave and the later ones only where given, and logs both values', async () => {
    const play = await halted()
    const limits = { max_failure_percent: 60, min_success_percent: 90 }
    const resumed = await play.resume(play.rolloutId, { reason, limits })
    expect(resumed.body.waves.map(({ gate }) => gate.max_failure_percent)).toEqual([60, 60])
    expect((await play.log())[0]?.changes).toEqual([
      { field: 'waves.1.gate.max_failure_percent', before: 10, after: 60 },
      { field: 'waves.2.gate.max_failure_percent', before: 10, after: 60 },
    ])
  })

  it('is required to change limits', async () => {
    const play = await begin(2)
    const { id: rolloutId } = await play.start()
    await api.call(steps.pauseRollout, { rolloutId }, { as: play.ines, body: {} })
    const limits = { max_failure_percent: 60, min_success_percent: 40 }
    const refused = await play.resume(rolloutId, { reason, limits })
    expect([refused.status, refused.error.details[0]?.field]).toEqual([422, 'limits'])
  })
})

describe('the wave that was halted', () => {
  it('has the shares of what has ended by now, and after a retry says that it waits to go on', async () => {
    const play = await halted()
    const wave = async () => (await play.read(play.rolloutId)).waves[0]
    expect(await wave()).toMatchObject({ state: 'failed', success_percent: 0, failure_percent: 100 })
    for (const id of play.rest) await play.things.install(id, play.rolloutId)
    await play.tick()
    expect(await wave()).toMatchObject({
      state: 'failed',
      counts: { succeeded: 2, failed: 3 },
      success_percent: 40,
      failure_percent: 60,
    })
    await api.call(steps.retryFailed, { rolloutId: play.rolloutId }, { as: play.ines })
    const retried = {
      state: 'retried',
      counts: { succeeded: 2, failed: 0, waiting: 3 },
      success_percent: 100,
      failure_percent: 0,
    }
    expect(await wave()).toMatchObject(retried)
    const resumed = await play.resume(play.rolloutId, { reason })
    expect(resumed.body.waves[0]).toMatchObject({ ...retried, state: 'filling', counts_from: expect.any(String) })
    api.advance(5)
    expect(await play.round(play.failed, 'boot_failed')).toBe(3)
    await play.tick()
    expect(await wave()).toMatchObject({ state: 'failed', success_percent: 40, failure_percent: 60 })
  })

  it('stays failed when only devices of an earlier wave are retried', async () => {
    const play = await begin(6)
    const gate = { min_success_percent: 50, max_failure_percent: 40, min_sample: 1, soak_s: 0, then: 'continue' } as const
    const strict = { ...gate, max_failure_percent: 100, min_success_percent: 0, health_gate: true }
    const plan = [gate, strict].map((one, n) => ({ kind: 'percent' as const, value: 50 * (n + 1), gate: one }))
    const { id: rolloutId } = await play.start({ waves: plan, retries: 0 })
    const idsOf = async (wave: string) =>
      (await api.call(rolloutDevices, { rolloutId }, { as: play.ines, query: { wave } })).body.devices.map((one) => one.device_id)
    const [one = '', ...others] = await idsOf('1')
    expect(await play.round(others)).toBe(2)
    expect(await play.round([one], 'boot_failed')).toBe(1)
    await play.tick()
    const second = await idsOf('2')
    expect(await play.round(second)).toBe(3)
    await api.db
      .update(devices)
      .set({ healthStatus: 'critical', lastSeenAt: api.deps.clock() })
      .where(inArray(devices.id, second))
    await play.tick()
    expect(await play.read(rolloutId)).toMatchObject({
      state: 'halted',
      current_wave: 2,
      waves: [{ state: 'passed' }, { state: 'failed' }],
    })
    await api.call(steps.retryFailed, { rolloutId }, { as: play.ines })
    expect(await play.read(rolloutId)).toMatchObject({ waves: [{ counts: { waiting: 1 } }, { state: 'failed' }] })
  })
})

describe('retrying what failed', () => {
  it('in a halted rollout queues the devices, which are offered it only after a person has resumed', async () => {
    const play = await halted()
    const retried = await api.call(steps.retryFailed, { rolloutId: play.rolloutId }, { as: play.ines })
    expect(retried.body).toMatchObject({ state: 'halted', counts: { failed: 0 } })
    expect(await play.round(play.failed)).toBe(0)
    await play.resume(play.rolloutId, { reason })
    expect(await play.round(play.failed)).toBe(3)
    for (const id of play.rest) await play.things.install(id, play.rolloutId)
    await play.tick()
    api.advance(61)
    await play.tick()
    const after = await play.read(play.rolloutId)
    expect(after).toMatchObject({ current_wave: 2, counts: { succeeded: 5, failed: 0 } })
    expect(after.waves[0]?.state).toBe('passed')
  })

  it('in an ended rollout is refused with a message that names the alternative', async () => {
    const play = await halted()
    const params = { rolloutId: play.rolloutId }
    await api.call(steps.cancelRollout, params, { as: play.ines, body: { mode: 'stop_new' } })
    const during = await api.call(steps.retryFailed, params, { as: play.ines })
    expect([during.status, during.error.code]).toEqual([409, 'conflict'])
    for (const id of play.rest) await play.things.install(id, play.rolloutId)
    await play.tick()
    expect((await play.read(play.rolloutId)).state).toBe('cancelled')
    const ended = await api.call(steps.retryFailed, params, { as: play.ines })
    expect([ended.status, ended.error.code]).toEqual([409, 'conflict'])
    expect(ended.error.message).toBe('This rollout has ended. Start a new one for the failed devices')
    const again = await play.start({ target: { device_ids: play.failed } })
    expect(again.counts).toMatchObject({ targeted: 3, waiting: 3 })
  })
})

describe('a rollout in which every device has failed', () => {
  it('is completed with failures after a person has resumed it', async () => {
    const play = await begin(3)
    const { id: rolloutId } = await play.start({ retries: 0 })
    expect(await play.round(play.ids, 'boot_failed')).toBe(3)
    await play.tick()
    await play.resume(rolloutId, { reason })
    await play.tick()
    api.advance(61)
    await play.tick()
    expect(await play.read(rolloutId)).toMatchObject({
      state: 'completed',
      with_failures: true,
      counts: { targeted: 3, succeeded: 0, failed: 3 },
    })
    const listed = await api.call(rolloutDevices, { rolloutId }, { as: play.ines })
    expect(listed.body.devices.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed'])
  })
})

describe('devices that trust none of the keys', () => {
  it('are named in the preview with whether they were ever seen', async () => {
    const play = await begin(2)
    const [strange = ''] = await play.things.add({ count: 1, trustedKeys: [] })
    const { key_coverage } = await play.preview({ target: { everything: true } })
    expect(key_coverage).toMatchObject({ trusting: 2, total: 3, missing: [{ id: strange, never_seen: true }] })
  })

  it('are left out on request, and the others get it without an override', async () => {
    const play = await begin(2)
    const [strange = ''] = await play.things.add({ count: 1, trustedKeys: [] })
    const target = { everything: true, key_trusted: true }
    const { total, excluded, key_coverage } = await play.preview({ target })
    expect([total, key_coverage.trusting]).toEqual([2, 2])
    expect(excluded).toMatchObject([{ reason: 'key_trusted', count: 1, sample: [{ id: strange, never_seen: true }] }])
    const { id: rolloutId } = await play.start({ target })
    expect(await play.round([...play.ids, strange])).toBe(2)
    expect((await play.read(rolloutId)).counts.targeted).toBe(2)
  })
})

it('the overview lists rollouts that have not started yet', async () => {
  const play = await begin(1)
  const { id } = await play.make()
  const seen = await api.call(overview, { projectId: play.projectId }, { as: play.ines })
  expect(seen.body.rollouts).toMatchObject([{ id, state: 'draft', requires_approval: false, asked_by: ['Ines'] }])
})
