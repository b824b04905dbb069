import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Gate } from '../../../../contract/updates/rollout-plans'
import * as rolloutPlans from '../../../../contract/updates/rollout-plans'
import * as rolloutSteps from '../../../../contract/updates/rollout-steps'
import * as contract from '../../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { repetitions } from '../../../../tests/support/counts'
import '../../../../tests/support/fixed-seed'
import { fleet } from '../../../../tests/support/fleet'
import type { Person } from '../../../../tests/support/people'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { devices } from '../../../fleet/schema/devices'
import { runBulkChanges } from '../run/bulk-changes'
import { tickRollouts } from '../tick'
import { within } from '../../../../tests/support/machine-load'

let api: TestApi
let ines: Person
beforeAll(async () => {
  api = await createTestApi()
  ines = await api.person()
})
afterAll(() => api.close())

const gate: Gate = { min_success_percent: 0, max_failure_percent: 100, min_sample: 1, soak_s: 604_800, then: 'continue' }

/** A device as it is, whatever the server knows of it. */
type Real = { runs: number; doing: { rolloutId: string; version: number } | null }

const deviceSteps = [
  'ask',
  'work',
  'finish',
  'finish unheard',
  'fail',
  'check in',
  'delete',
  'restore',
  'disable',
  'enable',
] as const
const fleetSteps = ['tick', 'two hours', 'retry', 'pause', 'resume', 'roll back'] as const
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ at: fc.integer({ min: 0, max: 2 }), does: fc.constantFrom(...deviceSteps) }) },
  { weight: 3, arbitrary: fc.record({ at: fc.constant(-1), does: fc.constantFrom(...fleetSteps) }) },
)

it(
  'after a rollback no device runs the bad release unless the rollout says why, whatever happened before and meanwhile',
  { timeout: within(600_000) },
  async () => {
    const projectId = await api.project({ ownerId: ines.id })
    const maker = await createReleaseFixture(api, ines, projectId)
    const old = await maker.signed({ version: 5, bytes: randomBytes(8) })
    const bad = await maker.signed({ version: 6, bytes: randomBytes(8) })
    const releaseOf = (version: number) => (version === 5 ? old.id : bad.id)
    const things = fleet(api, projectId)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), fc.boolean(), async (steps, areStubborn) => {
        ines = { ...ines, ...(await api.session(ines.id)) }
        const ids = await things.add({ count: 3, version: 5, releaseId: old.id, trustedKeys: [maker.key.publicKey.fingerprint] })
        for (const id of ids) await api.db.update(devices).set({ name: id, installedConfirmed: true }).where(eq(devices.id, id))
        const real = new Map<string, Real>(ids.map((id) => [id, { runs: 5, doing: null }]))
        const plan = { target: { device_ids: ids }, waves: [{ kind: 'percent' as const, value: 100, gate }] }
        const seen = await api.call(rolloutPlans.previewRollout, { releaseId: bad.id }, { as: ines, body: plan })
        const body = { ...plan, max_concurrent: 100, preview_hash: seen.body.preview_hash }
        const made = await api.call(contract.createRollout, { releaseId: bad.id }, { as: ines, body })
        const rolloutId = made.body.id
        const params = { rolloutId }
        const begun = await api.call(rolloutSteps.startRollout, params, { as: ines, body: {} })
        expect(begun.status, begun.text).toBe(200)
        const row = async (id: string) => (await api.db.select().from(devices).where(eq(devices.id, id)))[0]
        const set = (id: string, facts: Partial<typeof devices.$inferInsert>) =>
          api.db.update(devices).set(facts).where(eq(devices.id, id))
        const isHeard = async (id: string) => {
          const found = await row(id)
          return found?.deletedAt === null
        }
        const checkIn = (id: string, { runs }: Real) =>
          set(id, {
            installedReleaseId: releaseOf(runs),
            installedVersion: runs,
            installedConfirmed: true,
            lastSeenAt: api.deps.clock(),
          })
        const tick = async () => {
          await tickRollouts(api.deps)
          await runBulkChanges(api.deps)
        }
        const act: Record<(typeof deviceSteps)[number], (id: string, it: Real) => Promise<unknown>> = {
          ask: async (id, it) => {
            if (it.doing || !(await isHeard(id))) return
            await checkIn(id, it)
            const offer = await things.ask(id)
            if (!('envelope' in offer)) return
            it.doing = { rolloutId: offer.rolloutId, version: offer.releaseId === old.id ? 5 : 6 }
          },
          work: async (id, it) => {
            if (!it.doing || !(await isHeard(id))) return
            const { abort } = await things.report(id, it.doing.rolloutId, { type: 'install_started' })
            if (!abort) return
            await things.report(id, it.doing.rolloutId, { type: 'update_cancelled' })
            it.doing = null
          },
          finish: async (id, it) => {
            if (!it.doing || !(await isHeard(id))) return
            it.runs = it.doing.version
            await things.report(id, it.doing.rolloutId, { type: 'update_confirmed' })
            it.doing = null
          },
          'finish unheard': (_, it) => {
            if (it.doing) it.runs = it.doing.version
            it.doing = null
            return Promise.resolve()
          },
          fail: async (id, it) => {
            if (!it.doing || !(await isHeard(id))) return
            await things.report(id, it.doing.rolloutId, { type: 'update_failed', reason_code: 'network_error' })
            it.doing = null
          },
          'check in': async (id, it) => {
            if (await isHeard(id)) await checkIn(id, it)
          },
          delete: (id) => set(id, { deletedAt: api.deps.clock() }),
          restore: (id) => set(id, { deletedAt: null }),
          disable: (id) => set(id, { lifecycle: 'disabled' }),
          enable: (id) => set(id, { lifecycle: 'active' }),
        }
        const lead: Record<(typeof fleetSteps)[number], () => Promise<unknown>> = {
          tick,
          'two hours': async () => {
            api.advance(7200)
            await tick()
          },
          retry: () => api.call(rolloutSteps.retryFailed, params, { as: ines }),
          pause: () => api.call(rolloutSteps.pauseRollout, params, { as: ines, body: {} }),
          resume: () => api.call(rolloutSteps.resumeRollout, params, { as: ines, body: { reason: 'It was a mistake' } }),
          'roll back': () => api.call(rolloutSteps.rollBackRollout, params, { as: ines, body: { reason: 'It leaks memory' } }),
        }
        for (const { at, does } of steps) {
          const id = ids[at] ?? ''
          const it = real.get(id)
          if (it) await act[does as (typeof deviceSteps)[number]](id, it)
          else await lead[does as (typeof fleetSteps)[number]]()
        }
        await lead['roll back']()
        // No device reports until the rollback has ended. Then all report again and end what they do, some although they are asked to stop.
        for (let round = 0; round < 2; round++) await lead['two hours']()
        ines = { ...ines, ...(await api.session(ines.id)) }
        for (let round = 0; round < 8; round++) {
          for (const [id, it] of real) {
            if (round === 1) await set(id, { deletedAt: null, lifecycle: 'active' })
            if (!areStubborn) await act.work(id, it)
            await act.finish(id, it)
            await act.ask(id, it)
          }
          api.advance(7200)
          await tick()
          await tick()
        }
        ines = { ...ines, ...(await api.session(ines.id)) }
        const end = (await api.call(contract.rollout, { rolloutId }, { as: ines })).body
        const left = [...real].flatMap(([id, { runs }]) => (runs === 6 ? [id] : []))
        const named = left.filter((id) => end.state_reason?.includes(id))
        expect([end.state, left]).toEqual(['rolled_back', named])
      }),
      { numRuns: repetitions(6, 100) },
    )
  },
)
