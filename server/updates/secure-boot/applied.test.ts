import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectAuditLog } from '../../../contract/accounts/audit'
import type { CheckInBody } from '../../../contract/device/api'
import { checkIn, update } from '../../../contract/device/endpoints'
import { finalizeRelease, releaseManifest, reopenRelease } from '../../../contract/updates/release-signing'
import { release, updateRelease } from '../../../contract/updates/releases'
import { type Gate, previewRollout } from '../../../contract/updates/rollout-plans'
import { startRollout } from '../../../contract/updates/rollout-steps'
import { createRollout, rollout } from '../../../contract/updates/rollouts'
import * as bundles from '../../../contract/updates/secure-boot/bundles'
import { previewBundleRevocation } from '../../../contract/updates/secure-boot/revocation'
import { bundleDevices, deviceSecureBoot } from '../../../contract/updates/secure-boot/devices'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { createBundleFixture } from '../../../tests/support/bundle-fixture'
import { checkInBody } from '../../../tests/support/devices'
import type { Person } from '../../../tests/support/people'
import { referenceVerify } from '../../../tests/support/reference-verifier'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { createTestObjects } from '../../../tests/support/test-objects'
import { pemOf } from '../../../contract/device/public-key'

let api: TestApi
let ines: Person
beforeAll(async () => {
  api = await createTestApi()
  ines = await api.person()
})
afterAll(() => api.close())

const model = 'gw-imx8m'
const newProject = async (name: string) => {
  const projectId = await api.project({ ownerId: ines.id }, name)
  const newDevice = () => createTestObjects(api.deps).device(projectId)
  return { projectId, make: createBundleFixture(api, ines, projectId), newDevice }
}
type Report = CheckInBody['secure_boot']
const report = async (token: string, secure_boot: Report, trusted_keys: string[] = []) => {
  const reply = await api.call(checkIn, {}, { as: token, body: checkInBody({ secure_boot, trusted_keys }) })
  expect(reply.status, reply.text).toBe(200)
}
const secureBootOf = async (deviceId: string) => (await api.call(deviceSecureBoot, { deviceId }, { as: ines })).body
const if1 = (revision: number) => ({ 'if-match': `"${revision}"` })

it('the report of an active device of the model puts a ready bundle in use, which then never changes', async () => {
  const { projectId, make, newDevice } = await newProject('Applied')
  const ready = await make.ready({ hardware_models: [model], rollback_version: 2 })
  const other = await make.ready({ name: 'Other model', version: 2, hardware_models: ['gw'] })
  const [one, two] = [await newDevice(), await newDevice()]
  await report(one.token, { state: 'closed', rollback_version: 2, bundle_id: ready.id })
  await report(two.token, { state: 'enforcing', rollback_version: 2, bundle_id: ready.id })
  await report(two.token, { state: 'enforcing', rollback_version: 2, bundle_id: other.id })
  await report(two.token, { state: 'enforcing', rollback_version: 2, bundle_id: ready.id })
  expect(await make.read(ready.id)).toMatchObject({ state: 'in_use', applied: { devices: 2, closed: 1 } })
  expect((await make.read(other.id)).state).toBe('ready')
  const { body: listed } = await api.call(bundleDevices, { bundleId: ready.id }, { as: ines })
  expect(listed.total).toBe(2)
  expect(Object.fromEntries(listed.devices.map(({ id, state }) => [id, state]))).toEqual({
    [one.id]: 'closed',
    [two.id]: 'enforcing',
  })
  const { body: log } = await api.call(projectAuditLog, { projectId }, { as: ines, query: {} })
  expect(log.entries.filter(({ action }) => action === 'bundle.apply')).toMatchObject([{ actor: { name: 'Device report' } }])

  const { revision } = await make.read(ready.id)
  const params = { bundleId: ready.id }
  const change = await api.call(bundles.updateBundle, params, { as: ines, body: { version: 9 }, headers: if1(revision) })
  expect([change.status, change.error.code]).toEqual([409, 'not_a_draft'])
  expect((await api.call(bundles.checkBundle, params, { as: ines })).status).toBe(409)
  expect((await api.call(bundles.archiveBundle, params, { as: ines })).status).toBe(409)
  expect((await api.call(bundles.deleteBundle, params, { as: ines, headers: if1(revision) })).status).toBe(409)
  // The rollback version of the next bundle of this model is not lower.
  const next = { name: 'Next', version: 3, platform: 'u-boot-fit' as const, hardware_models: [model], rollback_version: 1 }
  const refused = await api.call(bundles.createBundle, { projectId }, { as: ines, body: next })
  expect(refused.error.details[0]).toMatchObject({ field: 'rollback_version', code: 'lower' })
})

it('a bundle that devices reported before its checks is in use as soon as they pass', async () => {
  const { make, newDevice } = await newProject('Early')
  const ready = await make.ready({ hardware_models: [model] })
  const { revision } = await make.read(ready.id)
  const body = { rollback_version: 1 }
  await api.call(bundles.updateBundle, { bundleId: ready.id }, { as: ines, body, headers: if1(revision) })
  await report((await newDevice()).token, { state: 'closed', rollback_version: 1, bundle_id: ready.id })
  expect((await make.read(ready.id)).state).toBe('draft')
  expect((await make.check(ready.id)).state).toBe('in_use')
})

it('drift names each difference between a device and its bundle', async () => {
  const { make, newDevice } = await newProject('Drift')
  const words = { words: [], debug_lock: 'open' as const }
  const close = { word: null, confirm: 'First', samples_tested: true }
  const first = await make.ready({
    name: 'First',
    platform: 'u-boot-fit',
    hardware_models: [model],
    rollback_version: 2,
    fuse_config: { ...words, close_step: close },
  })
  const second = await make.ready({ name: 'Second', version: 2, hardware_models: [model], rollback_version: 3 })
  const [one, two] = [await newDevice(), await newDevice()]
  const drift = async (device: { id: string; token: string }, facts: Report) => {
    await report(device.token, facts)
    return (await secureBootOf(device.id)).drift.map(({ field, reported, expected }) => [field, reported, expected])
  }
  expect(await drift(one, { state: 'unknown', rollback_version: 0 })).toEqual([])
  expect(await drift(one, { state: 'closed', rollback_version: 2, bundle_id: first.id })).toEqual([])
  expect(await drift(one, { state: 'open', rollback_version: 1, bundle_id: first.id })).toEqual([
    ['rollback_version', '1', '2'],
    ['state', 'open', 'closed'],
  ])
  expect(await drift(two, { state: 'enforcing', rollback_version: 3, bundle_id: second.id })).toEqual([])
  expect(await drift(one, { state: 'closed', rollback_version: 4, bundle_id: first.id })).toEqual([
    ['bundle_id', 'First v1', 'Second v2'],
    ['rollback_version', '4', '2'],
  ])
  const unknown = '01K00000000000000000000009'
  expect(await drift(one, { state: 'closed', rollback_version: 3, bundle_id: unknown })).toEqual([
    ['bundle_id', unknown, 'Second v2'],
  ])
  expect(await drift(one, { state: 'open', rollback_version: 3 })).toEqual([['bundle_id', null, 'Second v2']])
  await api.call(bundles.revokeBundle, { bundleId: second.id }, { as: ines, body: { reason: 'Key lost' } })
  expect((await secureBootOf(two.id)).drift).toMatchObject([{ text: 'The device boots by a revoked bundle' }])
})

it('drift of key hash and fuse words is named on the device and in the list of the bundle alike', async () => {
  const { make, newDevice } = await newProject('Drift of words')
  const rest = { bank: 6, mask_hex: 'ffffffff', irreversible: true, purpose: 'key_hash' as const }
  const words = ['a', 'b', 'c'].map((value_hex, word) => ({ ...rest, word, name: `SRK_${word}`, value_hex }))
  const bundle = await make.create({
    platform: 'nxp-hab',
    hardware_models: [model],
    key_hash: 'ab'.repeat(32),
    fuse_config: { words, close_step: null, debug_lock: 'open' },
  })
  const device = await newDevice()
  const facts = { state: 'open' as const, rollback_version: 0, bundle_id: bundle.id }
  const drift = async (key_hash: string, ...values: string[]) => {
    await report(device.token, { ...facts, key_hash, words: values.map((value_hex, word) => ({ bank: 6, word, value_hex })) })
    const { body } = await api.call(bundleDevices, { bundleId: bundle.id }, { as: ines })
    const found = (await secureBootOf(device.id)).drift
    expect(body.devices).toMatchObject([{ id: device.id, drift: found }])
    return found.map(({ field, reported, expected, text }) => [field, reported?.slice(0, 10), expected?.slice(0, 10), text])
  }
  // The third word is not reported: nothing is known of it.
  expect(await drift('0'.repeat(64), '8', 'f')).toEqual([
    ['key_hash', '0000000000', 'ababababab', 'No key is burned into the device'],
    ['fuse_config.words.0', '0x00000008', '0x0000000a', 'The fuse word SRK_0 (bank 6, word 0) is not burned into the device'],
    [
      'fuse_config.words.1',
      '0x0000000f',
      '0x0000000b',
      'The fuse word SRK_1 (bank 6, word 1) has other bits set in the device, which can never be cleared',
    ],
  ])
  expect(await drift('cd'.repeat(32), 'a', 'b', 'c')).toEqual([
    ['key_hash', 'cdcdcdcdcd', 'ababababab', 'Another key is burned into the device'],
  ])
  expect(await drift('ab'.repeat(32), 'a', 'b', 'c')).toEqual([])
})

it('a release takes over the rollback version of the bundle that it names, in check 10 and for the device alike', async () => {
  const { projectId, make, newDevice } = await newProject('Releases')
  const maker = await createReleaseFixture(api, ines, projectId)
  const bundle = await make.ready({ hardware_models: [model], rollback_version: 3 })
  const wanted = { version: 1, bytes: Buffer.from('app'), models: [model], bundleId: bundle.id }
  const signed = await maker.signed(wanted)
  expect(signed).toMatchObject({ rollback_version: 3, secure_boot_bundle_id: bundle.id })
  // What the manifest says can no longer change.
  const { revision } = await make.read(bundle.id)
  const change = (body: bundles.BundleChange) =>
    api.call(bundles.updateBundle, { bundleId: bundle.id }, { as: ines, body, headers: if1(revision) })
  expect((await change({ rollback_version: 4 })).error.code).toBe('named_by_release')

  const [fits, higher] = [await newDevice(), await newDevice()]
  const fingerprint = maker.key.publicKey.fingerprint
  await report(fits.token, { state: 'closed', rollback_version: 3 }, [fingerprint])
  await report(higher.token, { state: 'closed', rollback_version: 4 }, [fingerprint])
  const target = { device_ids: [fits.id, higher.id] }
  const gate: Gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 0, then: 'continue' }
  const waves = [{ kind: 'percent' as const, value: 100, gate }]
  const seen = await api.call(previewRollout, { releaseId: signed.id }, { as: ines, body: { target, waves } })
  expect(seen.status, seen.text).toBe(200)
  expect(seen.body.excluded).toMatchObject([{ reason: 'rollback_number_ok', count: 1 }])
  const { text } = await api.call(releaseManifest, { releaseId: signed.id }, { as: ines })
  const verify = (rollbackVersion: number) =>
    referenceVerify(text, {
      now: api.deps.clock().getTime(),
      projectId,
      hardwareModel: model,
      installed: null,
      rollbackVersion,
      keys: [{ pem: pemOf(maker.key.publicKey), algorithm: 'ed25519', revoked: false }],
    })
  expect(verify(3).rollback_version).toBe(3)
  expect(() => verify(4)).toThrow('rollback number')
})

it('revoking a bundle names the open rollouts of releases that need it, and cancels them; none begins again', async () => {
  const { projectId, make, newDevice } = await newProject('Revoked')
  const maker = await createReleaseFixture(api, ines, projectId)
  const bundle = await make.ready({ hardware_models: [model], rollback_version: 3 })
  const signed = await maker.signed({ version: 1, bytes: Buffer.from('app'), models: [model], bundleId: bundle.id })
  const other = await maker.signed({ version: 2, bytes: Buffer.from('other'), models: [model] })
  const [device, plain] = [await newDevice(), await newDevice()]
  await report(device.token, { state: 'closed', rollback_version: 3 }, [maker.key.publicKey.fingerprint])
  const gate: Gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 0, then: 'continue' }
  const begin = async (releaseId: string, { id } = device) => {
    const plan = { target: { device_ids: [id] }, waves: [{ kind: 'percent' as const, value: 100, gate }] }
    const seen = await api.call(previewRollout, { releaseId }, { as: ines, body: plan })
    expect(seen.status, seen.text).toBe(200)
    return api.call(createRollout, { releaseId }, { as: ines, body: { ...plan, preview_hash: seen.body.preview_hash } })
  }
  const { body: running } = await begin(signed.id)
  expect((await api.call(startRollout, { rolloutId: running.id }, { as: ines })).body.state).toBe('running')
  await report(plain.token, { state: 'open', rollback_version: 0 }, [maker.key.publicKey.fingerprint])
  const another = await begin(other.id, plain)
  expect(another.status, another.text).toBe(201)
  const ask = () => api.call(update, {}, { as: device.token })
  expect((await ask()).status).toBe(200)

  const params = { bundleId: bundle.id }
  const { body: stops } = await api.call(previewBundleRevocation, params, { as: ines })
  expect(stops).toEqual({
    releases: [{ id: signed.id, name: signed.name, version: 1, display_version: signed.display_version, state: 'released' }],
    rollouts: [{ id: running.id, name: running.name, release_id: signed.id, state: 'running' }],
  })
  await api.call(bundles.revokeBundle, params, { as: ines, body: { reason: 'Boot key lost' } })
  const after = (await api.call(rollout, { rolloutId: running.id }, { as: ines })).body
  expect([after.state, after.state_reason]).toEqual([
    expect.stringMatching(/^cancel/),
    `The secure boot bundle ${bundle.name} was revoked: Boot key lost`,
  ])
  expect((await ask()).status).toBe(204)
  expect((await api.call(rollout, { rolloutId: another.body.id }, { as: ines })).body.state).toBe('draft')
  const again = await begin(signed.id)
  expect([again.status, again.error.code, again.error.message]).toEqual([
    409,
    'bundle_revoked',
    `The secure boot bundle ${bundle.name} that the release needs was revoked`,
  ])
  expect((await api.call(previewBundleRevocation, params, { as: ines })).body.rollouts).toEqual([])
})

it('a release can name only a checked bundle of its models, with the same rollback version or none', async () => {
  const { projectId, make } = await newProject('Naming')
  const maker = await createReleaseFixture(api, ines, projectId)
  const bundle = await make.create({ hardware_models: [model], rollback_version: 3 })
  const { releaseId } = await maker.filled({ version: 1, bytes: Buffer.from('app'), models: [model], bundleId: bundle.id })
  const finalize = () => api.call(finalizeRelease, { releaseId }, { as: ines, body: {} })
  expect((await finalize()).error.details[0]).toMatchObject({ field: 'secure_boot_bundle_id', code: 'not_ready' })
  const change = async (body: {
    rollback_version?: number | null
    hardware_models?: string[]
    secure_boot_bundle_id?: string
  }) => {
    const { body: current } = await api.call(release, { releaseId }, { as: ines })
    return api.call(updateRelease, { releaseId }, { as: ines, body, headers: if1(current.revision) })
  }
  expect((await change({ hardware_models: ['other'] })).error.details[0]).toMatchObject({ code: 'other_model' })
  const missing = { secure_boot_bundle_id: '01K00000000000000000000009' }
  expect((await change(missing)).error.details[0]).toMatchObject({ code: 'not_listed' })
  await make.upload(bundle.id, 'fit_image', 'image.itb', Buffer.from('FIT'))
  await make.upload(bundle.id, 'device_tree', 'u-boot.dtb', Buffer.from('DTB'))
  await make.check(bundle.id)
  expect((await change({ rollback_version: 2 })).status).toBe(200)
  expect((await finalize()).error.details[0]).toMatchObject({ field: 'rollback_version', code: 'other_than_bundle' })
  await change({ rollback_version: null })
  expect((await finalize()).body.release.rollback_version).toBe(3)
  const again = await api.call(reopenRelease, { releaseId }, { as: ines })
  expect(again.body).toMatchObject({ state: 'draft', rollback_version: null, secure_boot_bundle_id: bundle.id })
})
