import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toBase64, fromBase64 } from '../../../../contract/device/bytes'
import { sign } from '../../../../contract/device/dsse'
import { payloadType } from '../../../../contract/device/manifest'
import { generateSigningKey } from '../../../../contract/device/private-key'
import { pemOf } from '../../../../contract/device/public-key'
import {
  createSigningKey,
  maxUncoveredDevices,
  previewKeyRevocation,
  revokeSigningKey,
  signingKeyCoverage,
} from '../../../../contract/fleet/keys'
import { releaseToSign, signRelease } from '../../../../contract/updates/release-signing'
import { previewRollout } from '../../../../contract/updates/rollout-plans'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import type { Person } from '../../../../tests/support/people'
import { createRolloutFixture } from '../../../../tests/support/rollout-fixture'
import { devices } from '../../../fleet/schema/devices'
import { releases } from '../../schema/releases'

let api: TestApi
let ines: Person
beforeAll(async () => {
  api = await createTestApi()
  ines = await api.person()
})
afterAll(() => api.close())

const prepare = async (count: number) => {
  const projectId = await api.project({ ownerId: ines.id }, `Fleet ${randomUUID()} of ${count}`)
  return createRolloutFixture(api, ines, projectId, count)
}
const preview = async (signingKeyId: string) => (await api.call(previewKeyRevocation, { signingKeyId }, { as: ines })).body

it('the preview of a revocation names what the revocation then stops', async () => {
  const { maker, release, start, read, things, ids } = await prepare(3)
  const rollout = await start()
  expect(await preview(maker.keyId)).toEqual({
    releases: [{ id: release.id, name: 'Firmware 2', version: 2, display_version: null, state: 'released' }],
    rollouts: [{ id: rollout.id, name: rollout.name, release_id: release.id, state: 'running' }],
    bundles: [],
  })
  // The preview changes nothing.
  expect((await read(rollout.id)).state).toBe('running')
  const body = { reason: 'Stolen laptop' }
  const revoked = await api.call(revokeSigningKey, { signingKeyId: maker.keyId }, { as: ines, body })
  expect([revoked.status, revoked.body.state]).toEqual([200, 'revoked'])
  expect((await read(rollout.id)).state).toMatch(/^cancell/)
  expect(await things.ask(ids[0] ?? '')).not.toHaveProperty('envelope')
  expect((await preview(maker.keyId)).rollouts).toEqual([])
})

/** Registers another key and signs the release with it. */
const signByAnother = async (projectId: string, releaseId: string) => {
  const second = await generateSigningKey('ecdsa-p256')
  const facts = { name: 'Second', algorithm: 'ecdsa-p256' as const, public_key_pem: pemOf(second.publicKey) }
  const { body: registered } = await api.call(createSigningKey, { projectId }, { as: ines, body: facts })
  const { body: toSign } = await api.call(releaseToSign, { releaseId }, { as: ines })
  const { signature } = await sign(second, payloadType, fromBase64(toSign.payload_base64) ?? new Uint8Array())
  const body = { key_id: registered.id, signature_base64: toBase64(signature) }
  const signed = await api.call(signRelease, { releaseId }, { as: ines, body })
  expect(signed.status, signed.text).toBe(200)
  return { registered, release: signed.body }
}

it.each(['ready', 'released', 'superseded'] as const)(
  'a release that is %s when its only key is revoked is rolled out again after another key has signed it',
  async (state) => {
    const { maker, projectId, release } = await prepare(1)
    await api.db.update(releases).set({ state }).where(eq(releases.id, release.id))
    await api.call(revokeSigningKey, { signingKeyId: maker.keyId }, { as: ines, body: { reason: 'Lost' } })
    const plan = { as: ines, body: { target: { everything: true } } }
    const refused = await api.call(previewRollout, { releaseId: release.id }, plan)
    expect([refused.status, refused.error.code, refused.error.message]).toEqual([
      409,
      'not_signed',
      'The keys that signed this release were revoked. Sign it with another key first',
    ])
    const again = await signByAnother(projectId, release.id)
    expect(again.release).toMatchObject({ state, state_reason: null })
    expect((await api.call(previewRollout, { releaseId: release.id }, plan)).status).toBe(200)
  },
)

it('a release that another key has signed too is not stopped, and is not named', async () => {
  const { maker, projectId, release } = await prepare(1)
  const { registered } = await signByAnother(projectId, release.id)
  expect(await preview(maker.keyId)).toEqual({ releases: [], rollouts: [], bundles: [] })
  await api.call(revokeSigningKey, { signingKeyId: registered.id }, { as: ines, body: { reason: 'Lost' } })
  // Now the first key is the last one.
  expect((await preview(maker.keyId)).releases.map(({ id }) => id)).toEqual([release.id])
})

it.each(['revoked', 'archived'] as const)('a release that is %s keeps its reason when its only key is revoked', async (state) => {
  const { maker, release } = await prepare(1)
  await api.db.update(releases).set({ state, stateReason: 'Valves stay open' }).where(eq(releases.id, release.id))
  await api.call(revokeSigningKey, { signingKeyId: maker.keyId }, { as: ines, body: { reason: 'Lost' } })
  const [after] = await api.db.select().from(releases).where(eq(releases.id, release.id))
  expect(after).toMatchObject({ state, stateReason: 'Valves stay open' })
})

it('the coverage of a key counts active devices, and names those that lack it', async () => {
  const { maker, ids, things } = await prepare(4)
  await things.add({ count: maxUncoveredDevices + 1, trustedKeys: ['0'.repeat(64)] })
  const read = async () => (await api.call(signingKeyCoverage, { signingKeyId: maker.keyId }, { as: ines })).body
  const before = await read()
  expect([before.total, before.trusting, before.missing.length]).toEqual([maxUncoveredDevices + 5, 4, maxUncoveredDevices])
  const [first = '', second = ''] = ids
  await api.db.update(devices).set({ name: '0 lacks it', trustedKeys: [] }).where(eq(devices.id, first))
  await api.db.update(devices).set({ lifecycle: 'disabled' }).where(eq(devices.id, second))
  const after = await read()
  expect([after.total, after.trusting]).toEqual([maxUncoveredDevices + 4, 2])
  expect(after.missing[0]).toEqual({ id: first, name: '0 lacks it', last_seen_at: null })
})
