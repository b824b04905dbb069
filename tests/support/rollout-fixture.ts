import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Infer } from 'superstruct'
import type { BodyOf } from '../../contract/core/endpoint'
import { previewRollout, type Wave } from '../../contract/updates/rollout-plans'
import * as contract from '../../contract/updates/rollouts'
import { startRollout } from '../../contract/updates/rollout-steps'
import { tickRollouts } from '../../server/updates/rollouts/tick'
import type { TestApi } from './api'
import { fleet } from './fleet'
import type { Person } from './people'
import { createReleaseFixture } from './release-fixture'

const gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 60, then: 'continue' } as const

/** Waves with these cumulative shares, each with the same gate. */
export const waves = (...values: number[]): Wave[] => values.map((value) => ({ kind: 'percent', value, gate }))

type Asked = Partial<Omit<Infer<typeof contract.NewRollout>, 'allow_downgrade'>>

/** A signed release, a fleet that trusts its key, and the calls for all states of its rollout. */
export const createRolloutFixture = async (api: TestApi, as: Person, projectId: string, count: number) => {
  const maker = await createReleaseFixture(api, as, projectId)
  const release = await maker.signed({ version: 2, bytes: randomBytes(64) })
  const things = fleet(api, projectId)
  const ids = await things.add({ count, trustedKeys: [maker.key.publicKey.fingerprint] })
  const preview = async (asked: BodyOf<typeof previewRollout>, releaseId = release.id) => {
    const seen = await api.call(previewRollout, { releaseId }, { as, body: asked })
    expect(seen.status, seen.text).toBe(200)
    return seen.body
  }
  const make = async (asked: Asked = {}, releaseId = release.id) => {
    const plan = { target: { everything: true }, waves: waves(100), ...asked }
    const { preview_hash } = await preview({ target: plan.target, waves: plan.waves }, releaseId)
    const body = { max_concurrent: 10_000, ...plan, preview_hash }
    const made = await api.call(contract.createRollout, { releaseId }, { as, body })
    expect(made.status, made.text).toBe(201)
    return made.body
  }
  const start = async (asked: Asked = {}, releaseId = release.id) => {
    const { id: rolloutId } = await make(asked, releaseId)
    const begun = await api.call(startRollout, { rolloutId }, { as, body: {} })
    expect(begun.status, begun.text).toBe(200)
    return begun.body
  }
  const read = async (rolloutId: string) => (await api.call(contract.rollout, { rolloutId }, { as })).body
  const tick = () => tickRollouts(api.deps)
  /**
   * Each of these devices asks and installs what it is offered, with success or with the failure. Returns how many were offered
   * it.
   */
  const round = async (among: readonly string[] = ids, failure?: Parameters<typeof things.install>[2]) => {
    let offered = 0
    for (const id of among) {
      const offer = await things.ask(id)
      if (!('envelope' in offer)) continue
      offered++
      await things.install(id, offer.rolloutId, failure)
    }
    return offered
  }
  return { as, projectId, maker, release, things, ids, preview, make, start, read, tick, round }
}
