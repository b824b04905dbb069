import { randomBytes } from 'node:crypto'
import { and, count, eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Gate, previewRollout } from '../../../../contract/updates/rollout-plans'
import * as rolloutSteps from '../../../../contract/updates/rollout-steps'
import * as contract from '../../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { addManyDevices } from '../../../../tests/support/many-devices'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { devices } from '../../../fleet/schema/devices'
import { rolloutDevices, rollouts } from '../../schema/rollouts'
import { formatTimestamp } from '../../../core/timestamps'
import { tickRollouts } from '../tick'
import { batchSize, runBulkChanges } from './bulk-changes'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

// More than one batch, so that some devices are left when the answer arrives.
const fleetSize = batchSize + 250
const gate: Gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 0, then: 'continue' }

const scene = async (asked: { end_at?: string } = {}) => {
  const ines = await api.person({ name: 'Ines' })
  const projectId = await api.project({ ownerId: ines.id })
  const maker = await createReleaseFixture(api, ines, projectId)
  const release = await maker.signed({ version: 2, bytes: randomBytes(64) })
  await addManyDevices(api, { projectId, count: fleetSize, trustedKeys: [maker.key.publicKey.fingerprint] })
  const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate }] }
  const params = { releaseId: release.id }
  const seen = await api.call(previewRollout, params, { as: ines, body: plan })
  const body = { ...plan, ...asked, preview_hash: seen.body.preview_hash }
  const made = await api.call(contract.createRollout, params, { as: ines, body })
  expect(made.status, made.text).toBe(201)
  const rolloutId = made.body.id
  const step = async (endpoint: typeof rolloutSteps.startRollout | typeof rolloutSteps.cancelRollout, given = {}) => {
    const done = await api.call(endpoint, { rolloutId }, { as: ines, body: given as never })
    expect(done.status, done.text).toBe(200)
    return done.body
  }
  const now = async () => (await api.call(contract.rollout, { rolloutId }, { as: ines })).body
  const shown = async (state: 'queued' | 'cancelled') => {
    const where = and(eq(devices.projectId, projectId), eq(devices.updateRolloutId, rolloutId), eq(devices.updateState, state))
    return (await api.db.select({ n: count() }).from(devices).where(where))[0]?.n
  }
  return { ines, projectId, rolloutId, step, now, shown }
}

/** A process that is killed in the middle of its third batch: PostgreSQL rolls that batch back, and no process continues. */
const killedInThirdBatch = async (size: number) => {
  let batches = 0
  const db = new Proxy(api.db, {
    get: (target, name) =>
      name === 'transaction'
        ? (work: Parameters<typeof api.db.transaction>[0]) =>
            target.transaction(async (tx) => {
              const result = await work(tx)
              if (++batches >= 3) throw new Error('killed')
              return result
            })
        : Reflect.get(target, name),
  })
  await runBulkChanges({ ...api.deps, db }, { size })
  expect(batches).toBe(3)
}

it('a started rollout runs at once, and its devices are listed batch by batch, also after a kill in the middle', async () => {
  const play = await scene()
  const begun = await play.step(rolloutSteps.startRollout)
  expect(begun).toMatchObject({ state: 'running', counts: { targeted: fleetSize, waiting: fleetSize } })
  expect(begun.bulk_change).toEqual({ kind: 'show_waiting', left: 250 })
  expect(await play.shown('queued')).toBe(batchSize)

  await killedInThirdBatch(50)
  expect(await play.shown('queued')).toBe(batchSize + 100)
  expect((await play.now()).bulk_change).toEqual({ kind: 'show_waiting', left: 150 })

  await runBulkChanges(api.deps, { size: 50 })
  expect(await play.shown('queued')).toBe(fleetSize)
  expect((await play.now()).bulk_change).toBeNull()
})

it('a cancelled rollout is cancelling until its last waiting device is removed, also after a kill in the middle', async () => {
  const play = await scene()
  await play.step(rolloutSteps.startRollout)
  const cancelled = await play.step(rolloutSteps.cancelRollout, { reason: 'Wrong fleet', mode: 'stop_new' })
  expect(cancelled).toMatchObject({ state: 'cancelling', counts: { waiting: 250 } })
  expect(cancelled.bulk_change).toEqual({ kind: 'cancel_waiting', left: 250 })
  await tickRollouts(api.deps)
  expect((await play.now()).state).toBe('cancelling')

  await killedInThirdBatch(50)
  await tickRollouts(api.deps)
  expect(await play.now()).toMatchObject({ state: 'cancelling', counts: { waiting: 150 } })

  await runBulkChanges(api.deps, { size: 50 })
  await tickRollouts(api.deps)
  expect(await play.now()).toMatchObject({ state: 'cancelled', counts: { waiting: 0 }, bulk_change: null })
  const reasons = await api.db
    .selectDistinct({ state: rolloutDevices.state, reason: rolloutDevices.reason })
    .from(rolloutDevices)
    .where(eq(rolloutDevices.rolloutId, play.rolloutId))
  expect(reasons).toEqual([{ state: 'cancelled', reason: 'The rollout was cancelled' }])
})

it('an expired rollout removes its waiting devices batch by batch', async () => {
  const play = await scene({ end_at: formatTimestamp(new Date(api.deps.clock().getTime() + 3_600_000)) })
  await play.step(rolloutSteps.startRollout)
  api.advance(3601)
  await tickRollouts(api.deps)
  expect(await play.now()).toMatchObject({ state: 'expired', bulk_change: { kind: 'cancel_waiting', left: 250 } })
  await killedInThirdBatch(50)
  await runBulkChanges(api.deps, { size: 50 })
  expect(await play.now()).toMatchObject({ state: 'expired', counts: { waiting: 0 }, bulk_change: null })
})

it('two processes that continue the same change process each batch once', async () => {
  const play = await scene()
  await play.step(rolloutSteps.startRollout)
  await Promise.all([runBulkChanges(api.deps, { size: 20 }), runBulkChanges(api.deps, { size: 20 })])
  await runBulkChanges(api.deps)
  expect(await play.shown('queued')).toBe(fleetSize)
  const [row] = await api.db.select().from(rollouts).where(eq(rollouts.id, play.rolloutId))
  expect(row?.bulkChanges).toEqual([])
})

it('a change does not wait for a device whose transaction waits for the rollout', async () => {
  const play = await scene()
  await play.step(rolloutSteps.startRollout)
  const [one] = await api.db
    .select({ id: rolloutDevices.deviceId })
    .from(rolloutDevices)
    .where(and(eq(rolloutDevices.rolloutId, play.rolloutId), eq(rolloutDevices.state, 'queued')))
    .orderBy(sql`device_id desc`)
    .limit(1)
  await api.db.transaction(async (tx) => {
    await tx
      .select()
      .from(devices)
      .where(eq(devices.id, one?.id ?? ''))
      .for('update')
    await runBulkChanges(api.deps, { size: 100 })
    expect((await play.now()).bulk_change).toEqual({ kind: 'show_waiting', left: 1 })
  })
  await runBulkChanges(api.deps, { size: 100 })
  expect((await play.now()).bulk_change).toBeNull()
})
