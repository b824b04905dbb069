import { generateKeyPairSync } from 'node:crypto'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectAuditLog } from '../../../contract/accounts/audit'
import { createSigningKey } from '../../../contract/fleet/keys'
import * as artifacts from '../../../contract/updates/secure-boot/artifacts'
import * as contract from '../../../contract/updates/secure-boot/bundles'
import type { ArtifactRole, PlatformId } from '../../../contract/updates/secure-boot/platforms'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { createBundleFixture, passFormats } from '../../../tests/support/bundle-fixture'
import type { Person } from '../../../tests/support/people'
import { createUpload, sendBytes } from '../../../tests/support/upload-file'
import { checkBundle } from './checks/check-bundle'
import { runBundleChecks } from './run-checks'
import {
  chainFiles,
  manyFit,
  namedArtifacts,
  sample,
  sampleBundle,
  sampleFiles,
  samplePlatforms,
  toArtifacts,
  toBundleKey,
} from './testing/sample-bundles'
import type { BundleFacts } from './types'

let api: TestApi
let ines: Person
beforeAll(async () => {
  api = await createTestApi()
  ines = await api.person()
})
afterAll(() => api.close())

const newProject = async (name: string) => {
  const projectId = await api.project({ ownerId: ines.id }, name)
  return { projectId, make: createBundleFixture(api, ines, projectId) }
}
const actionsOf = async (projectId: string) =>
  (await api.call(projectAuditLog, { projectId }, { as: ines, query: { limit: 200 } })).body.entries.map(({ action }) => action)
const if1 = (revision: number) => ({ 'if-match': `"${revision}"` })
const levels = ({ checks }: contract.SecureBootBundle) => checks.map(({ id, level }) => `${id} ${level}`)

it('a bundle is complete, checked and ready when its platform has its files, and each step is in the audit log', async () => {
  const { projectId, make } = await newProject('Ready')
  const { id } = await make.create()
  expect(await make.read(id)).toMatchObject({ state: 'draft', completeness: { present: 0, total: 2 }, rollback_version: 0 })
  await make.upload(id, 'fit_image', 'image.itb', Buffer.from('a FIT image'))
  expect((await make.read(id)).completeness).toMatchObject({
    present: 1,
    required: [
      { roles: ['fit_image'], present: true },
      { roles: ['device_tree'], present: false },
    ],
  })
  const missing = await make.check(id)
  expect(missing).toMatchObject({ state: 'incomplete', state_reason: '1 check failed', check_progress: null })
  expect(levels(missing)).toEqual(['test.required_file error', 'test.format ok'])

  await make.upload(id, 'device_tree', 'u-boot.dtb', Buffer.from('a device tree'))
  expect((await make.read(id)).state).toBe('draft')
  const ready = await make.check(id)
  expect(ready).toMatchObject({ state: 'ready', state_reason: null, findings: { errors: 0, warnings: 0 } })
  expect(ready.artifacts.map(({ file_name, state, parsed }) => [file_name, state, parsed?.format])).toEqual([
    ['image.itb', 'ready', 'test'],
    ['u-boot.dtb', 'ready', 'test'],
  ])
  const list = await api.call(contract.bundles, { projectId }, { as: ines, query: { state: 'ready', hardware_model: 'gw' } })
  expect(list.body.artifact_bundles).toMatchObject([{ id, state: 'ready', completeness: { present: 2, total: 2 } }])
  expect((await actionsOf(projectId)).filter((action) => action.startsWith('bundle.')).toReversed()).toEqual([
    'bundle.create',
    'bundle.artifact_add',
    'bundle.artifact_upload',
    'bundle.check',
    'bundle.artifact_add',
    'bundle.artifact_upload',
    'bundle.check',
  ])
})

type NamedFile = [role: ArtifactRole, name: string, bytes: Buffer]
/** Uploads files of a platform and runs its real checks, as the job does. */
const checked = async (what: string, platform: PlatformId, files: NamedFile[], { keys, rollbackVersion }: BundleFacts) => {
  const { make } = await newProject(`Files of ${what}`)
  const named = keys.map(({ slot, public_key_pem }) => ({ slot, public_key_pem }))
  const { id } = await make.create({ platform, keys: named, rollback_version: rollbackVersion })
  for (const [role, name, bytes] of files) await make.upload(id, role, name, bytes)
  return make.check(id, checkBundle)
}

const filesOf = (platform: PlatformId): NamedFile[] =>
  toArtifacts(sampleFiles(platform)).map(({ role, fileName }) => [role, fileName, sampleFiles(platform)[role] ?? Buffer.alloc(0)])
const stored: [what: string, platform: PlatformId, files: NamedFile[], keys?: string[]][] = [
  ...samplePlatforms.map((platform): (typeof stored)[number] => [platform, platform, filesOf(platform)]),
  ['uefi behind shim', 'uefi', chainFiles()],
  [
    'u-boot-fit with 100 configurations',
    'u-boot-fit',
    [
      ['fit_image', 'many.itb', manyFit().bytes],
      ['device_tree', 'u-boot.dtb', sample('u-boot.dtb')],
    ],
    [manyFit().publicKey],
  ],
]

it.each(stored)(
  'the files of %s are uploaded, checked by the job, stored, and answered as the checks found them',
  async (what, platform, files, keys) => {
    const facts = sampleBundle(platform, keys && { keys: keys.map((pem, slot) => toBundleKey(pem, slot)) })
    const bundle = await checked(what, platform, files, facts)
    expect(bundle).toMatchObject({ state: 'ready', state_reason: null, findings: { errors: 0, warnings: 0 } })
    const found = await checkBundle(facts, namedArtifacts(files))
    // The ids of the files are their names there.
    const names = new Map(bundle.artifacts.map(({ id, file_name }) => [id, file_name]))
    const named = bundle.checks.map(({ artifact_id, ...check }) => ({
      ...check,
      artifact_id: artifact_id === null ? null : names.get(artifact_id),
    }))
    expect(named).toEqual(found.checks)
    const ranges = bundle.checks.flatMap(({ range }) => range ?? [])
    expect(new Set(ranges.flatMap((range) => Object.keys(range)))).toEqual(new Set(['offset', 'length']))
    for (const { file_name, parsed, signature } of bundle.artifacts) {
      const read = found.parsed.get(file_name)
      expect({ parsed, signature }).toEqual({ parsed: read?.parsed, signature: read?.signature })
    }
  },
)

it('any change of fields or files makes the result of the checks void, a new description does not', async () => {
  const { make } = await newProject('Void')
  const ready = await make.ready()
  const change = async (body: contract.BundleChange) => {
    const { revision } = await make.read(ready.id)
    return api.call(contract.updateBundle, { bundleId: ready.id }, { as: ines, body, headers: if1(revision) })
  }
  expect((await change({ description: 'For the gateways' })).body).toMatchObject({ state: 'ready' })
  const secret = '-----BEGIN PRIVATE KEY-----'
  expect((await change({ description: secret })).error.details[0]).toMatchObject({ code: 'private_key' })
  expect((await change({ key_hash: 'ab'.repeat(32) })).error.details[0]).toMatchObject({ field: 'key_hash', code: 'not_used' })
  expect((await change({ rollback_version: 2 })).body).toMatchObject({ state: 'draft', rollback_version: 2 })
  expect((await make.check(ready.id)).state).toBe('ready')
  const [file] = ready.artifacts
  const gone = await api.call(artifacts.deleteArtifact, { bundleId: ready.id, artifactId: file?.id ?? '' }, { as: ines })
  expect(gone.status).toBe(204)
  expect(await make.read(ready.id)).toMatchObject({ state: 'draft', completeness: { present: 1, total: 2 } })
})

it('the close step needs the name of the bundle and tested samples', async () => {
  const { projectId } = await newProject('Close')
  const word = {
    bank: 1,
    word: 3,
    name: 'SEC_CONFIG',
    value_hex: '2000000',
    mask_hex: '2000000',
    irreversible: true,
    purpose: 'close' as const,
  }
  const make = (confirm: string, samples_tested: boolean, words = [word]) =>
    api.call(
      contract.createBundle,
      { projectId },
      {
        as: ines,
        body: {
          name: 'Closing',
          version: 1,
          platform: 'nxp-hab',
          hardware_models: ['gw'],
          fuse_config: { words, close_step: { word, confirm, samples_tested }, debug_lock: 'closed' },
        },
      },
    )
  expect((await make('closing', true)).error.details[0]).toMatchObject({ field: 'fuse_config.close_step.confirm' })
  expect((await make('Closing', false)).error.details[0]).toMatchObject({ code: 'samples_tested' })
  expect((await make('Closing', true, [{ ...word, mask_hex: '1' }])).error.details[0]).toMatchObject({ code: 'mask' })
  expect((await make('Closing', true, [word, word])).error.details[0]).toMatchObject({ code: 'words' })
  expect((await make('Closing', true)).body.fuse_config.close_step).toEqual({ word, samples_tested: true })
})

it('keys are public keys of the project or pasted ones, never private keys or keys for releases', async () => {
  const { projectId, make } = await newProject('Keys')
  const pem = (key: ReturnType<typeof generateKeyPairSync>['publicKey']) => String(key.export({ type: 'spki', format: 'pem' }))
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const made = await make.create({ keys: [{ slot: 2, public_key_pem: pem(publicKey) }] })
  expect(made.keys).toMatchObject([{ slot: 2, key_id: null, algorithm: 'rsa-2048', revoked: false, is_known_test_key: false }])
  const refused = async (key: { key_id?: string; public_key_pem?: string }) => {
    const body = { name: 'Refused', version: 1, platform: 'uefi' as const, hardware_models: ['gw'], keys: [{ slot: 0, ...key }] }
    return (await api.call(contract.createBundle, { projectId }, { as: ines, body })).error.details[0]?.code
  }
  const secret = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  expect(await refused({ public_key_pem: `${pem(publicKey)}${secret}${pem(publicKey)}` })).toBe('private_key')
  expect(await refused({})).toBe('key')
  expect(await refused({ key_id: '01JZZZZZZZZZZZZZZZZZZZZZZZ' })).toBe('not_listed')
  // RFC 8032, 7.1: the private half is printed there.
  const known = Buffer.from('302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex')
  const test_key_pem = `-----BEGIN PUBLIC KEY-----\n${known.toString('base64')}\n-----END PUBLIC KEY-----\n`
  const own = pem(generateKeyPairSync('ed25519').publicKey)
  const body = { name: 'For releases', algorithm: 'ed25519' as const, public_key_pem: own }
  const key = await api.call(createSigningKey, { projectId }, { as: ines, body })
  expect(await refused({ key_id: key.body.id })).toBe('not_for_secure_boot')
  const test = await make.create({ keys: [{ slot: 0, public_key_pem: test_key_pem }] })
  expect(test.keys[0]?.is_known_test_key).toBe(true)
})

describe('a private key in a file', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const pkcs8 = rsa.export({ type: 'pkcs8', format: 'pem' })
  const forms: [string, Buffer][] = [
    ['as PEM inside an image', Buffer.concat([Buffer.alloc(200_000, 7), Buffer.from(pkcs8), Buffer.alloc(70_000, 9)])],
    ['as PKCS#8', rsa.export({ type: 'pkcs8', format: 'der' })],
    ['as PKCS#1', rsa.export({ type: 'pkcs1', format: 'der' })],
    ['as SEC 1', ec.export({ type: 'sec1', format: 'der' })],
    ['encrypted', rsa.export({ type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase: 'secret' })],
    ['as JWK', Buffer.from(JSON.stringify(ec.export({ format: 'jwk' })))],
  ]

  it.each(forms)('%s is refused, its bytes are deleted at once, and the bundle is never ready', async (form, bytes) => {
    const { projectId, make } = await newProject(`Private ${form}`)
    const { id } = await make.ready()
    const file = await make.addFile(id, 'other', 'signing.key', bytes.length)
    const made = await createUpload(api, ines, file.id, { size: bytes.length, purpose: 'bundle_artifact' })
    const location = String(made.headers.location)
    const sent = await sendBytes(api, ines, location, 0, bytes)
    expect([sent.statusCode, JSON.parse(sent.payload).error.code]).toEqual([422, 'private_key'])
    const uploadId = location.split('/').at(-1) ?? ''
    await expect(access(join(api.config.uploadsDirectory, `${uploadId}.part`))).rejects.toThrow('ENOENT')
    expect(await api.deps.storage.size(uploadId)).toBeUndefined()
    const bundle = await make.read(id)
    expect(bundle).toMatchObject({ state: 'incomplete', state_reason: expect.stringContaining('private key') })
    expect(bundle.artifacts.at(-1)).toMatchObject({ state: 'rejected', reject_code: 'private_key', sha256: null })
    expect((await actionsOf(projectId))[0]).toBe('bundle.private_key')
    expect((await make.check(id)).state).toBe('incomplete')
  })

  it('is not known by the name of an entry alone: the bundle is never ready, and the bytes stay', async () => {
    const { projectId, make } = await newProject('Named like a key')
    const { id } = await make.create()
    for (const [role, bytes] of Object.entries(sampleFiles('u-boot-fit')))
      await make.upload(id, role as ArtifactRole, `${role}.bin`, bytes) // the keys of its own samples
    expect((await make.check(id, checkBundle)).state).toBe('ready')
    const archive = Buffer.concat([sample('archive.tar').subarray(0, 512).fill(0, 0, 100), Buffer.alloc(512)])
    archive.write('keys/id_ed25519')
    const fileId = await make.upload(id, 'other', 'tools.tar', archive)
    const bundle = await make.check(id, checkBundle)
    expect(bundle.state).toBe('incomplete')
    expect(bundle.checks.filter(({ level }) => level !== 'ok')).toMatchObject([
      { id: 'u-boot-fit.private_key_name', level: 'error', artifact_id: fileId },
    ])
    expect(bundle.artifacts.at(-1)).toMatchObject({ state: 'ready', reject_code: null })
    expect(await actionsOf(projectId)).not.toContain('bundle.private_key')
  })

  it('is not seen in a program that only contains the first line of one', async () => {
    const { make } = await newProject('Strings')
    const { id } = await make.create()
    const text = '-----BEGIN RSA PRIVATE KEY-----\0-----END RSA PRIVATE KEY-----\0-----BEGIN EC PRIVATE KEY-----\0'
    await make.upload(id, 'fit_image', 'image.itb', Buffer.concat([Buffer.from(text), Buffer.alloc(5000, 1)]))
    expect((await make.read(id)).artifacts[0]).toMatchObject({ state: 'ready' })
  })
})

it('an upload of a bundle needs project:update, its declared size, and a bundle that can change', async () => {
  const { projectId, make } = await newProject('Uploads')
  const viewer = await api.person()
  const ready = await make.ready()
  const file = await make.addFile(ready.id, 'other', 'more.bin', 4)
  const begin = (as: Person, size = 4) => createUpload(api, as, file.id, { size, purpose: 'bundle_artifact' })
  expect((await begin(viewer)).statusCode).toBe(404)
  expect((await begin(ines, 5)).statusCode).toBe(422)
  expect((await createUpload(api, ines, file.id, { size: 4 })).statusCode).toBe(404)
  const open = await begin(ines)
  expect(open.statusCode).toBe(201)
  // The bundle is deleted meanwhile: the upload ends with it.
  const { revision } = await make.read(ready.id)
  const gone = await api.call(contract.deleteBundle, { bundleId: ready.id }, { as: ines, headers: if1(revision) })
  expect(gone.status).toBe(204)
  expect((await sendBytes(api, ines, String(open.headers.location), 0, Buffer.alloc(4))).statusCode).toBe(410)
  expect((await actionsOf(projectId))[0]).toBe('bundle.delete')
})

it('checks that were killed in the middle run again, and give up after three attempts', async () => {
  const { make } = await newProject('Killed')
  const ready = await make.ready()
  await api.call(contract.checkBundle, { bundleId: ready.id }, { as: ines })
  const progress: unknown[] = []
  await runBundleChecks(api.deps, async (_, files, onArtifact) => {
    await onArtifact?.(1)
    progress.push((await make.read(ready.id)).check_progress, files.length)
    throw new Error('killed')
  })
  expect(progress).toEqual([{ done: 1, total: 2 }, 2])
  expect((await make.read(ready.id)).state).toBe('checking')
  await runBundleChecks(api.deps, passFormats)
  expect((await make.read(ready.id)).state).toBe('ready')

  await api.call(contract.checkBundle, { bundleId: ready.id }, { as: ines })
  const die = () => runBundleChecks(api.deps, () => Promise.reject(new Error('killed')))
  for (let attempt = 0; attempt < 3; attempt++) await die()
  expect((await make.read(ready.id)).state).toBe('checking')
  await die()
  expect(await make.read(ready.id)).toMatchObject({
    state: 'draft',
    state_reason: 'The checks did not end after 3 attempts',
  })
})

it('the result of checks that the bundle was changed under is dropped, and damaged bytes are found', async () => {
  const { make } = await newProject('Changed')
  const { id } = await make.ready()
  const changed = await make.check(id, async (bundle, files) => {
    const { revision } = await make.read(id)
    await api.call(contract.updateBundle, { bundleId: id }, { as: ines, body: { version: 3 }, headers: if1(revision) })
    return passFormats(bundle, files)
  })
  expect(changed).toMatchObject({ state: 'draft', version: 3 })
  const uploads = await api.db.execute<{ key: string }>(
    `select storage_key as key from bundle_artifacts where bundle_id = '${id}' order by id`,
  )
  await api.deps.storage.write(uploads.rows[0]?.key ?? '', Readable.from([Buffer.from('other bytes')]))
  const damaged = await make.check(id)
  expect(damaged.state).toBe('incomplete')
  expect(levels(damaged)).toEqual(['bundle.file_damaged error', 'test.required_file error', 'test.format ok'])
})

it('version and rollback version only rise for a hardware model', async () => {
  const { projectId, make } = await newProject('Rising')
  await make.ready({ version: 4 })
  const body = { name: 'Next', platform: 'u-boot-fit' as const, hardware_models: ['other', 'gw'] }
  const same = await api.call(contract.createBundle, { projectId }, { as: ines, body: { ...body, version: 4 } })
  expect(same.error.details[0]).toMatchObject({ field: 'version', message: 'Version must be higher than 4' })
  // Two drafts may have one version: the second cannot be checked any more.
  const first = await make.create({ version: 5 })
  const second = await make.create({ version: 5 })
  for (const [name, role] of [
    ['image.itb', 'fit_image'],
    ['u-boot.dtb', 'device_tree'],
  ] as const)
    await make.upload(first.id, role, name, Buffer.from(name))
  expect((await make.check(first.id)).state).toBe('ready')
  const refused = await api.call(contract.checkBundle, { bundleId: second.id }, { as: ines })
  expect(refused.error.details[0]).toMatchObject({ field: 'version', code: 'not_higher' })
})

it('an archived bundle can be restored as a draft, a revoked one is final', async () => {
  const { projectId, make } = await newProject('Ends')
  const { id } = await make.ready()
  const step = (endpoint: typeof contract.archiveBundle | typeof contract.restoreBundle) =>
    api.call(endpoint, { bundleId: id }, { as: ines })
  expect((await step(contract.restoreBundle)).status).toBe(409)
  expect((await step(contract.archiveBundle)).body.state).toBe('archived')
  const { revision } = await make.read(id)
  const change = await api.call(
    contract.updateBundle,
    { bundleId: id },
    { as: ines, body: { version: 2 }, headers: if1(revision) },
  )
  expect([change.status, change.error.code]).toEqual([409, 'not_a_draft'])
  expect((await step(contract.restoreBundle)).body.state).toBe('draft')
  await make.check(id)
  const revoked = await api.call(contract.revokeBundle, { bundleId: id }, { as: ines, body: { reason: 'Key lost' } })
  expect(revoked.body).toMatchObject({ state: 'revoked', state_reason: 'Key lost' })
  expect((await step(contract.archiveBundle)).status).toBe(409)
  const after = await make.read(id)
  const gone = await api.call(contract.deleteBundle, { bundleId: id }, { as: ines, headers: if1(after.revision) })
  expect([gone.status, gone.error.message]).toEqual([409, 'A revoked bundle is kept as a record'])
  expect((await actionsOf(projectId)).slice(0, 4)).toEqual(['bundle.revoke', 'bundle.check', 'bundle.restore', 'bundle.archive'])
})
