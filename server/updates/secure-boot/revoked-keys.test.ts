import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkIn } from '../../../contract/device/endpoints'
import { createSigningKey, previewKeyRevocation, revokeSigningKey } from '../../../contract/fleet/keys'
import * as bundles from '../../../contract/updates/secure-boot/bundles'
import * as contract from '../../../contract/updates/secure-boot/fuse-plan'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { createBundleFixture } from '../../../tests/support/bundle-fixture'
import { checkInBody } from '../../../tests/support/devices'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { createTestObjects } from '../../../tests/support/test-objects'

let api: TestApi
let ines: Person
beforeAll(async () => {
  api = await createTestApi()
  ines = await api.person()
})
afterAll(() => api.close())

const model = 'gw-imx8m'
const prepare = async (name: string) => {
  const projectId = await api.project({ ownerId: ines.id }, name)
  const pem = String(generateKeyPairSync('rsa', { modulusLength: 3072 }).publicKey.export({ type: 'spki', format: 'pem' }))
  const facts = { name: 'Boot', algorithm: 'rsa-3072' as const, public_key_pem: pem }
  const { body: key } = await api.call(createSigningKey, { projectId }, { as: ines, body: facts })
  const make = createBundleFixture(api, ines, projectId)
  const newBundle = (more: Parameters<typeof make.ready>[0] = {}) =>
    make.ready({ name, hardware_models: [model], keys: [{ slot: 1, key_id: key.id }], ...more })
  const revokeKey = () => api.call(revokeSigningKey, { signingKeyId: key.id }, { as: ines, body: { reason: 'Stolen' } })
  return { projectId, key, make, newBundle, revokeKey }
}
type Bundle = bundles.SecureBootBundle
const planOf = async ({ id: bundleId }: Bundle) =>
  (await api.call(contract.fusePlan, { bundleId }, { as: ines, query: { assume: 'blank' } })).body
const scriptOf = ({ id: bundleId, name }: Bundle) =>
  api.call(contract.fusePlanScript, { bundleId }, { as: ines, query: { assume: 'blank', confirm: name } })
const reasons = async (bundle: Bundle) => (await planOf(bundle)).refusals.map(({ code, text }) => [code, text])
const reportBy = async (token: string, bundle_id: string, rollback_version: number) => {
  const secure_boot = { state: 'enforcing' as const, rollback_version, bundle_id }
  const reply = await api.call(checkIn, {}, { as: token, body: checkInBody({ secure_boot }) })
  expect(reply.status, reply.text).toBe(200)
}

it('a bundle whose signing key was revoked after its checks is not written, whether or not devices have it', async () => {
  const { projectId, key, make, newBundle, revokeKey } = await prepare('Written')
  const inUse = await newBundle()
  await reportBy((await createTestObjects(api.deps).device(projectId)).token, inUse.id, 0)
  const ready = await newBundle({ version: 2 })
  expect(await reasons(ready)).toEqual([])
  const preview = await api.call(previewKeyRevocation, { signingKeyId: key.id }, { as: ines })
  expect(preview.body.bundles).toEqual([
    { id: ready.id, name: 'Written', version: 2, state: 'ready' },
    { id: inUse.id, name: 'Written', version: 1, state: 'in_use' },
  ])

  expect((await revokeKey()).status).toBe(200)
  const text = 'The signing key of slot 1 was revoked after the bundle was checked: '
  expect(await reasons(ready)).toEqual([['key_revoked', `${text}check it again`]])
  expect(await reasons(inUse)).toEqual([['key_revoked', `${text}create a new bundle`]])
  for (const bundle of [ready, inUse]) {
    expect((await planOf(bundle)).plan.flatMap(({ command, verify_command }) => command ?? verify_command ?? [])).toEqual([])
    const script = await scriptOf(bundle)
    expect([script.status, script.error.code]).toEqual([409, 'key_revoked'])
    expect((await make.read(bundle.id)).keys).toMatchObject([{ slot: 1, revoked: false, revoked_since: true }])
  }

  const again = await make.check(ready.id)
  expect(again.keys).toMatchObject([{ slot: 1, revoked: true, revoked_since: false }])
  // It was the only key of the bundle.
  expect(await reasons(ready)).toEqual([['key_revoked', 'Every key of the bundle is revoked: nothing would boot']])
})

it('a bundle keeps the rollback version of devices up after it was revoked, and only if devices had it', async () => {
  const { projectId, make, newBundle } = await prepare('Floor')
  const applied = await newBundle({ rollback_version: 7 })
  await reportBy((await createTestObjects(api.deps).device(projectId)).token, applied.id, 7)
  const unused = await newBundle({ version: 2, rollback_version: 9 })
  for (const { id } of [applied, unused]) {
    const revoked = await api.call(bundles.revokeBundle, { bundleId: id }, { as: ines, body: { reason: 'Key lost' } })
    expect(revoked.status, revoked.text).toBe(200)
  }
  const body = { name: 'Lower', version: 3, platform: 'u-boot-fit' as const, hardware_models: [model], rollback_version: 6 }
  const lower = await api.call(bundles.createBundle, { projectId }, { as: ines, body })
  expect(lower.error.details[0]).toMatchObject({
    field: 'rollback_version',
    message: 'Devices have rollback version 7: it can only rise',
  })
  expect((await make.ready({ ...body, rollback_version: 7 })).state).toBe('ready')
})

it('a bundle that the manifest of a release names is not archived, since it could not come back', async () => {
  const { projectId, make, newBundle } = await prepare('Archived')
  const maker = await createReleaseFixture(api, ines, projectId)
  const bundle = await newBundle()
  await maker.signed({ version: 1, bytes: Buffer.from('app'), models: [model], bundleId: bundle.id })
  const refused = await api.call(bundles.archiveBundle, { bundleId: bundle.id }, { as: ines })
  expect([refused.status, refused.error.code, refused.error.message]).toEqual([
    409,
    'named_by_release',
    'The manifest of a release is built for this bundle. Revoke it instead',
  ])
  expect((await make.read(bundle.id)).state).toBe('ready')
})
