import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fromBase64, toBase64 } from '../../../contract/device/bytes'
import { sign } from '../../../contract/device/dsse'
import { payloadType } from '../../../contract/device/manifest'
import { generateSigningKey, type SigningKey } from '../../../contract/device/private-key'
import { pemOf } from '../../../contract/device/public-key'
import { verify } from '../../../contract/device/verify'
import { createSigningKey, revokeSigningKey } from '../../../contract/fleet/keys'
import * as releaseAssets from '../../../contract/updates/release-assets'
import * as releaseSigning from '../../../contract/updates/release-signing'
import * as contract from '../../../contract/updates/releases'
import { previewRollout } from '../../../contract/updates/rollout-plans'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { createUpload, sendBytes } from '../../../tests/support/upload-file'
import { lockRelease } from './repository'
import { requireDeployable } from '../rollouts/plan/preview'
import '../../../tests/support/fixed-seed'

let api: TestApi
let ines: Person
beforeAll(async () => {
  api = await createTestApi()
  ines = await api.person()
})
afterAll(() => api.close())

type Key = SigningKey & { id: string; revoked: boolean }

const register = async (projectId: string, name: string): Promise<Key> => {
  const key = await generateSigningKey(name.startsWith('p') ? 'ecdsa-p256' : 'ed25519')
  const body = { name, algorithm: key.publicKey.algorithm, public_key_pem: pemOf(key.publicKey) }
  const made = await api.call(createSigningKey, { projectId }, { as: ines, body })
  expect(made.status, made.text).toBe(201)
  return { ...key, id: made.body.id, revoked: false }
}

const step = fc.oneof(
  fc.record({ do: fc.constant('draft' as const), version: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constantFrom('file' as const, 'mode' as const, 'bytes' as const, 'finalize' as const), at: fc.nat(3) }),
  fc.record({ do: fc.constantFrom('change' as const, 'revoke' as const, 'archive' as const), at: fc.nat(3) }),
  fc.record({ do: fc.constant('sign' as const), at: fc.nat(3), key: fc.nat(2), named: fc.nat(2), spoil: fc.boolean() }),
  fc.record({ do: fc.constant('revokeKey' as const), key: fc.nat(1) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type World = { projectId: string; keys: Key[]; stranger: SigningKey; releases: string[]; assets: Map<string, string> }

const take = async (world: World, one: Step) => {
  const { keys, projectId, releases, assets } = world
  const as = ines
  if (one.do === 'draft') {
    const body = { name: 'Firmware', version: one.version, type: 'file' as const, hardware_models: ['gw'] }
    const made = await api.call(contract.createRelease, { projectId }, { as, body })
    if (made.status === 201) releases.push(made.body.id)
    return
  }
  if (one.do === 'revokeKey') {
    const key = keys[one.key % keys.length]
    if (!key) return
    await api.call(revokeSigningKey, { signingKeyId: key.id }, { as, body: { reason: 'Lost' } })
    key.revoked = true
    return
  }
  const releaseId = releases[one.at % Math.max(1, releases.length)]
  if (releaseId === undefined) return
  if (one.do === 'file') {
    const body = { name: 'app.bin', kind: 'payload' as const, size: 16, install_location: '/opt/app.bin' }
    const made = await api.call(releaseAssets.createAsset, { releaseId }, { as, body })
    if (made.status === 201) assets.set(releaseId, made.body.id)
  }
  if (one.do === 'mode') {
    const assetId = assets.get(releaseId)
    const found = (await api.call(contract.release, { releaseId }, { as })).body.assets.find(({ id }) => id === assetId)
    if (found) {
      const target = { releaseId, assetId: found.id }
      await api.call(releaseAssets.updateAsset, target, {
        as,
        body: { mode: '0600' },
        headers: { 'if-match': `"${found.revision}"` },
      })
    }
  }
  if (one.do === 'bytes') {
    const made = await createUpload(api, ines, assets.get(releaseId) ?? releaseId, { size: 16 })
    if (made.statusCode === 201) await sendBytes(api, ines, String(made.headers.location), 0, randomBytes(16))
  }
  if (one.do === 'finalize') await api.call(releaseSigning.finalizeRelease, { releaseId }, { as, body: {} })
  if (one.do === 'change') {
    const { headers } = await api.call(contract.release, { releaseId }, { as })
    const etag = String(headers.etag)
    await api.call(
      contract.updateRelease,
      { releaseId },
      { as, body: { version: 9, name: 'Other' }, headers: { 'if-match': etag } },
    )
  }
  if (one.do === 'revoke') await api.call(contract.revokeRelease, { releaseId }, { as, body: { reason: 'Bad' } })
  if (one.do === 'archive') await api.call(contract.archiveRelease, { releaseId }, { as })
  if (one.do !== 'sign') return
  const toSign = await api.call(releaseSigning.releaseToSign, { releaseId }, { as })
  if (toSign.status !== 200) return
  const signer = keys[one.key] ?? world.stranger
  const { signature } = await sign(signer, payloadType, fromBase64(toSign.body.payload_base64) ?? new Uint8Array())
  if (one.spoil) signature[7] = (signature[7] ?? 0) ^ 1
  const body = { key_id: keys[one.named]?.id ?? releaseId, signature_base64: toBase64(signature) }
  const answer = await api.call(releaseSigning.signRelease, { releaseId }, { as, body })
  // A signature is accepted only from the key that it names.
  if (answer.status === 200) expect([one.spoil, one.key === one.named]).toEqual([false, true])
}

const published = async ({ projectId, keys, releases }: World) => {
  let count = 0
  for (const releaseId of releases) {
    const manifest = await api.call(releaseSigning.releaseManifest, { releaseId }, { as: ines })
    const offered = await api.call(previewRollout, { releaseId }, { as: ines, body: { target: { everything: true } } })
    if (manifest.status !== 200) {
      if (offered.status === 200) expect(offered.body.total).toBe(0)
      continue
    }
    count++
    const trusted = keys.filter(({ revoked }) => !revoked).map(({ publicKey }) => publicKey)
    const facts = {
      projectId,
      hardwareModel: 'gw',
      installedVersion: null,
      mayReturnTo: [],
      rollbackVersion: 0,
      now: api.deps.clock().getTime(),
    }
    const opened = await verify(JSON.parse(manifest.text), trusted, facts)
    expect(opened).toMatchObject({ ok: true, manifest: { id: releaseId, project_id: projectId } })
  }
  return count
}

it('T-17: no sequence of calls publishes a manifest that the reference verifier refuses', async () => {
  let seen = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const projectId = await api.project({ ownerId: ines.id }, randomBytes(8).toString('hex'))
      const keys = [await register(projectId, 'ed'), await register(projectId, 'p-256')]
      const world: World = { projectId, keys, stranger: await generateSigningKey('ed25519'), releases: [], assets: new Map() }
      // The first half of the steps is fixed, so that random steps reach the rest.
      for (const one of ['draft', 'file', 'bytes', 'finalize'] as const) await take(world, { do: one, version: 1, at: 0 })
      for (const one of steps) await take(world, one)
      seen += await published(world)
    }),
    // One example always publishes, so that the property is not vacuously true.
    { numRuns: 15, examples: [[[{ do: 'sign', at: 0, key: 0, named: 0, spoil: false }]]] },
  )
  expect(seen).toBeGreaterThan(0)
})

it('a manifest that is valid for a day ends exactly 24 hours after it was built', async () => {
  const projectId = await api.project({ ownerId: ines.id }, 'A day')
  const maker = await createReleaseFixture(api, ines, projectId)
  const { releaseId } = await maker.filled({ version: 1, bytes: randomBytes(8) })
  const { body } = await api.call(releaseSigning.finalizeRelease, { releaseId }, { as: ines, body: { valid_days: 1 } })
  const manifest = JSON.parse(Buffer.from(body.to_sign.payload_base64, 'base64').toString()) as Record<string, string>
  const time = (field: string) => Date.parse(manifest[field] ?? '')
  expect(time('expires_at') - time('created_at')).toBe(24 * 3_600_000)
})

describe('T-17: refused', () => {
  const firmware = { name: 'Firmware', type: 'file' as const, hardware_models: ['gw'] }

  it('a version that is not above every finalized one of the model', async () => {
    const projectId = await api.project({ ownerId: ines.id }, 'Versions')
    const maker = await createReleaseFixture(api, ines, projectId)
    const bytes = randomBytes(8)
    const { releaseId } = await maker.filled({ version: 5, bytes })
    await maker.signed({ version: 5, bytes })
    const final = await api.call(releaseSigning.finalizeRelease, { releaseId }, { as: ines, body: {} })
    expect(final.error.details).toEqual([{ field: 'version', code: 'not_higher', message: 'Version must be higher than 5' }])
    for (const version of [1, 4, 5]) {
      const made = await api.call(contract.createRelease, { projectId }, { as: ines, body: { ...firmware, version } })
      expect([made.status, made.error.details[0]?.field]).toEqual([422, 'version'])
    }
    const other = { ...firmware, version: 1, hardware_models: ['cam'] }
    expect((await api.call(contract.createRelease, { projectId }, { as: ines, body: other })).status).toBe(201)
    expect((await api.call(contract.nextVersion, { projectId }, { as: ines })).body.version).toBe(6)
  })

  it('two finalizations of one version at the same time: one of them', async () => {
    const projectId = await api.project({ ownerId: ines.id }, 'Races')
    const maker = await createReleaseFixture(api, ines, projectId)
    const bytes = randomBytes(8)
    const drafts = [await maker.filled({ version: 1, bytes }), await maker.filled({ version: 1, bytes })]
    const answers = await Promise.all(
      drafts.map(({ releaseId }) => api.call(releaseSigning.finalizeRelease, { releaseId }, { as: ines, body: {} })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
  })

  it('an incomplete release, and an expiry out of bounds', async () => {
    const projectId = await api.project({ ownerId: ines.id }, 'Parts')
    const maker = await createReleaseFixture(api, ines, projectId)
    const { releaseId } = await maker.draft({ version: 1, bytes: randomBytes(8) })
    const final = (body: object) => api.call(releaseSigning.finalizeRelease, { releaseId }, { as: ines, body })
    expect((await final({})).error.details[0]).toMatchObject({ field: 'assets', code: 'not_ready' })
    expect((await final({ expires_at: '2026-06-01T13:00:00+00:00' })).error.details[0]?.code).toBe('too_soon')
    expect((await final({ expires_at: '2029-06-01T13:00:00+00:00' })).error.details[0]?.code).toBe('too_late')
    const both = { expires_at: '2026-12-01T13:00:00+00:00', valid_days: 1 }
    expect((await final(both)).error.details[0]).toMatchObject({ field: 'valid_days', code: 'either' })
    for (const valid_days of [0, 731]) expect((await final({ valid_days })).error.details[0]?.field).toBe('valid_days')
  })

  it('a release without its required files', async () => {
    const projectId = await api.project({ ownerId: ines.id }, 'Rootfs')
    const maker = await createReleaseFixture(api, ines, projectId)
    const { releaseId } = await maker.filled({ version: 1, bytes: randomBytes(8) })
    const { headers } = await api.call(contract.release, { releaseId }, { as: ines })
    const asked = { as: ines, body: { type: 'rootfs' as const }, headers: { 'if-match': String(headers.etag) } }
    expect((await api.call(contract.updateRelease, { releaseId }, asked)).status).toBe(200)
    const final = await api.call(releaseSigning.finalizeRelease, { releaseId }, { as: ines, body: {} })
    expect(final.error.details).toEqual([
      { field: 'assets', code: 'consistent', message: 'A rootfs release needs exactly one image' },
    ])
  })

  it('every change of signed content, through the API and directly in the database', async () => {
    const projectId = await api.project({ ownerId: ines.id }, 'Fixed')
    const maker = await createReleaseFixture(api, ines, projectId)
    const { id: releaseId, revision, assets } = await maker.signed({ version: 1, bytes: randomBytes(8) })
    const headers = { 'if-match': `"${revision}"` }
    const changed = await api.call(contract.updateRelease, { releaseId }, { as: ines, body: { name: 'Other' }, headers })
    expect([changed.status, changed.error.code]).toEqual([409, 'not_a_draft'])
    const noted = await api.call(contract.updateRelease, { releaseId }, { as: ines, body: { notes: 'Fixes a leak' }, headers })
    expect(noted.body.notes).toBe('Fixes a leak')
    const assetId = assets[0]?.id ?? ''
    expect((await api.call(releaseAssets.deleteAsset, { releaseId, assetId }, { as: ines })).status).toBe(409)
    await expect(api.deps.pool.query(`update releases set payload = 'x' where id = $1`, [releaseId])).rejects.toThrow(
      'never changes',
    )
  })

  it('an expired manifest starts no rollout', async () => {
    const projectId = await api.project({ ownerId: ines.id }, 'Expired')
    const maker = await createReleaseFixture(api, ines, projectId)
    const { id: releaseId } = await maker.signed({ version: 1, bytes: randomBytes(8) })
    api.advance(366 * 86_400)
    Object.assign(ines, await api.session(ines.id))
    const row = await lockRelease(api.db, releaseId)
    expect(() => row && requireDeployable(row, api.deps.clock())).toThrow('expired')
  })
})
