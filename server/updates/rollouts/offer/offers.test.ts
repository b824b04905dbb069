import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { and, eq, inArray } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckInBody, DeviceEvent } from '../../../../contract/device/api'
import * as device from '../../../../contract/device/endpoints'
import { toBase64 } from '../../../../contract/device/bytes'
import { bytesToSign, manifestBytes } from '../../../../contract/device/manifest'
import { pemOf } from '../../../../contract/device/public-key'
import { accepted, type Given, givenBy, refused } from '../../../../contract/device/verify.fixture'
import { retireSigningKey, revokeSigningKey } from '../../../../contract/fleet/keys'
import * as releaseSigning from '../../../../contract/updates/release-signing'
import * as releases from '../../../../contract/updates/releases'
import { previewRollout } from '../../../../contract/updates/rollout-plans'
import * as steps from '../../../../contract/updates/rollout-steps'
import { createRollout } from '../../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { repetitions } from '../../../../tests/support/counts'
import { checkInBody, eventOf } from '../../../../tests/support/devices'
import type { Person } from '../../../../tests/support/people'
import { type ReferenceKey, type ReferenceManifest, referenceVerify } from '../../../../tests/support/reference-verifier'
import { newRow } from '../../../core/database/row'
import { devices as deviceRows, deviceTokens } from '../../../fleet/schema/devices'
import { signingKeys } from '../../../fleet/schema/keys'
import { createToken, hashOf, prefixOf } from '../../../core/tokens/token'
import { assets, releases as releaseRows, releaseSignatures } from '../../schema/releases'
import { manifestOf } from '../../releases/manifest-of'
import { rolloutDevices, rollouts as rolloutRows, rolloutWaves } from '../../schema/rollouts'
import { tickRollouts } from '../tick'
import '../../../../tests/support/fixed-seed'
import { within } from '../../../../tests/support/machine-load'

describe('T-17 the reference verifier agrees with the product', () => {
  const verdictOn = ({ envelope, keys, facts }: Given) => {
    const { installedVersion: version, mayReturnTo, ...others } = facts
    const installed = version === null ? null : { version, mayReturnTo }
    const known = keys.map((key) => ({ pem: pemOf(key), algorithm: key.algorithm, revoked: key.revoked === true }))
    return referenceVerify(JSON.stringify(envelope) ?? '', { ...others, installed, keys: known })
  }

  it.each(accepted)('that a device takes $title', async (vector) => {
    expect(verdictOn(await givenBy(vector))).toMatchObject({ version: 12 })
  })

  it.each(refused)('that a device refuses $title', async (vector) => {
    const given = await givenBy(vector)
    expect(() => verdictOn(given)).toThrow(Error)
  })
})

type Signer = ReferenceKey & { privateKey: KeyObject; fingerprint: string }

const signerOf = (algorithm: Signer['algorithm']): Signer => {
  const pair = algorithm === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = pair.publicKey.export({ type: 'spki', format: 'der' })
  const pem = String(pair.publicKey.export({ type: 'spki', format: 'pem' }))
  const privateKey = createPrivateKey(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return { algorithm, pem, privateKey, fingerprint: createHash('sha256').update(der).digest('hex'), revoked: false }
}
/** The third key is registered nowhere. */
const signers = [signerOf('ed25519'), signerOf('ecdsa-p256'), signerOf('ed25519')] as const
const bytes = Buffer.from('firmware')
const start = Date.parse('2026-06-01T12:00:00Z')
const gate = { min_success_percent: 0, max_failure_percent: 100, min_sample: 1, soak_s: 0, then: 'continue' } as const

type Claimed = { manifest: ReferenceManifest | null; id: string | null; version: number }
type Device = {
  id: string
  token: string
  model: string
  /** What it runs: a release of the project, or a version that nobody knows. */
  installed: Claimed | null
  rollbackVersion: number
  trusted: number[]
  offer: { rolloutId: string; manifest: ReferenceManifest } | null
  sequence: number
}
type World = {
  api: TestApi
  ines: Person
  projectId: string
  keyIds: string[]
  revoked: Set<number>
  releases: { id: string; manifest: ReferenceManifest }[]
  rollouts: string[]
  devices: Device[]
  offers: { made: number; again: number; refused: number }
}

const version = fc.integer({ min: 1, max: 6 })
const some = fc.subarray([1, 2, 3, 4, 5, 6])
const at = fc.nat(3)
const trusted = fc.constantFrom<number[]>([0], [0], [1], [0, 1], [0, 1, 2], [2], [])
const release = fc.record({
  do: fc.constant('release' as const),
  version,
  models: fc.constantFrom<string[]>(['gw'], ['gw'], ['gw', 'cam'], ['cam']),
  minimum: fc.constantFrom(null, null, null, 0, 2, 4),
  rollback: fc.constantFrom(null, null, 0, 1, 2),
  from: fc.constantFrom<number[]>([], [], [2, 3, 4, 5, 6]),
  back: fc.oneof(fc.constant(null), some),
  days: fc.constantFrom(2, 40, 365),
  by: fc.constantFrom<number[]>([0], [0], [1], [0, 1], [2], []),
  spoil: fc.constantFrom(false, false, false, true),
})
const rollout = fc.record({ do: fc.constant('rollout' as const), at, downgrade: fc.boolean(), priority: fc.nat(2) })
const checkIn = fc.record({
  do: fc.constant('checkIn' as const),
  at,
  installed: fc.oneof(
    fc.constant(null),
    fc.record({ version }),
    fc.record({ release: at, confirmed: fc.constantFrom(true, true, false) }),
  ),
  trusted,
  rollback: fc.constantFrom(0, 0, 0, 1, 2),
})
const ask = fc.record({ do: fc.constant('ask' as const), at })
const report = fc.record({
  do: fc.constant('report' as const),
  at,
  type: fc.constantFrom('update_confirmed' as const, 'update_failed' as const, 'install_started' as const),
})
const end = fc.record({
  do: fc.constantFrom('revoke' as const, 'archive' as const, 'revokeKey' as const, 'retireKey' as const),
  at,
})
const move = fc.record({
  do: fc.constant('move' as const),
  at,
  how: fc.constantFrom(
    'pause' as const,
    'resume' as const,
    'halt' as const,
    'stop_new' as const,
    'abort_all' as const,
    'back' as const,
  ),
})
const pass = fc.record({ do: fc.constant('pass' as const), hours: fc.constantFrom(1, 49, 24 * 41, 24 * 366) })
const step = fc.oneof(
  { arbitrary: release, weight: 3 },
  { arbitrary: rollout, weight: 4 },
  { arbitrary: checkIn, weight: 4 },
  { arbitrary: ask, weight: 6 },
  { arbitrary: report, weight: 4 },
  { arbitrary: end, weight: 2 },
  { arbitrary: move, weight: 2 },
  { arbitrary: pass, weight: 2 },
)
type Of<A> = A extends fc.Arbitrary<infer T> ? T : never
type Step = Of<typeof step>

const reachesTime = (api: TestApi, time: number) => api.advance((time - api.deps.clock().getTime()) / 1000)

const signatureOf = (signer: Signer, toSign: string, spoil: boolean) => {
  const made = sign(signer.algorithm === 'ed25519' ? null : 'sha256', Buffer.from(toSign, 'base64'), {
    key: signer.privateKey,
    dsaEncoding: 'ieee-p1363',
  })
  if (spoil) made[9] = (made[9] ?? 0) ^ 1
  return made.toString('base64')
}

const storedFile = {
  name: 'app.bin',
  kind: 'payload',
  size: bytes.length,
  installLocation: '/opt/app.bin',
  mode: '0644',
  sha256: createHash('sha256').update(bytes).digest('hex'),
  storageKey: 'firmware',
  sha1: null,
  md5: null,
  state: 'ready',
  contentType: 'application/octet-stream',
} as const

const addAsset = async ({ api, projectId }: World, releaseId: string) => {
  await api.db.insert(assets).values({ ...newRow(api.deps.clock()), ...storedFile, projectId, releaseId })
}

const makeRelease = async (world: World, asked: Of<typeof release>) => {
  const { api, ines, projectId, keyIds } = world
  const body = {
    name: `Firmware ${asked.version}`,
    version: asked.version,
    type: 'file' as const,
    hardware_models: asked.models,
    min_installed_version: asked.minimum,
    rollback_version: asked.rollback,
    allow_downgrade_from: asked.from,
    may_return_to: asked.back?.filter((older) => older < asked.version) ?? null,
  }
  const made = await api.call(releases.createRelease, { projectId }, { as: ines, body })
  if (made.status !== 201) return
  const releaseId = made.body.id
  await addAsset(world, releaseId)
  const expires_at = `${new Date(api.deps.clock().getTime() + asked.days * 86_400_000).toISOString().slice(0, 19)}+00:00`
  const final = await api.call(releaseSigning.finalizeRelease, { releaseId }, { as: ines, body: { expires_at } })
  if (final.status !== 200) return
  const { payload_base64, to_sign_base64 } = final.body.to_sign
  const manifest = JSON.parse(Buffer.from(payload_base64, 'base64').toString()) as ReferenceManifest
  world.releases.push({ id: releaseId, manifest })
  for (const n of asked.by) {
    const signer = signers[n] ?? signers[0]
    const signature_base64 = signatureOf(signer, to_sign_base64, asked.spoil)
    // The unregistered key signs in the name of the first one.
    const signed = { key_id: keyIds[n] ?? keyIds[0] ?? '', signature_base64 }
    await api.call(releaseSigning.signRelease, { releaseId }, { as: ines, body: signed })
  }
}

const startRollout = async ({ api, ines, releases: made, rollouts }: World, asked: Of<typeof rollout>) => {
  const found = made[asked.at % Math.max(1, made.length)]
  if (!found) return
  const params = { releaseId: found.id }
  const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate }] }
  const look = { ...plan, ...(asked.downgrade && { allow_downgrade: true }) }
  const seen = await api.call(previewRollout, params, { as: ines, body: look })
  if (seen.status !== 200) return
  const allowed = asked.downgrade && {
    allow_downgrade: { reason: 'Back to what has worked', version: found.manifest.version },
  }
  const body = {
    ...plan,
    ...allowed,
    priority: asked.priority,
    preview_hash: seen.body.preview_hash,
    override_reason: 'Some devices lack the key',
  }
  const created = await api.call(createRollout, params, { as: ines, body })
  if (created.status !== 201) return
  rollouts.push(created.body.id)
  await api.call(steps.startRollout, { rolloutId: created.body.id }, { as: ines, body: {} })
}

const checkInWith = async ({ api }: World, one: Device, confirmed = true) => {
  const { installed } = one
  const body: CheckInBody = checkInBody({
    installed: installed && { release_id: installed.id ?? one.id, version: installed.version, slot: null, confirmed },
    trusted_keys: one.trusted.map((n) => signers[n]?.fingerprint ?? ''),
    secure_boot: { state: 'unknown', rollback_version: one.rollbackVersion },
  })
  const { status, text } = await api.call(device.checkIn, {}, { as: one.token, body })
  expect(status, text).toBe(200)
}

const claim = async (world: World, one: Device, { installed, trusted: keys, rollback }: Of<typeof checkIn>) => {
  const known =
    installed && 'release' in installed ? world.releases[installed.release % Math.max(1, world.releases.length)] : undefined
  if (installed === null) one.installed = null
  else if (known) one.installed = { manifest: known.manifest, id: known.id, version: known.manifest.version }
  else if ('version' in installed) one.installed = { manifest: null, id: null, version: installed.version }
  one.trusted = keys
  one.rollbackVersion = rollback
  await checkInWith(world, one, installed === null || !('confirmed' in installed) || installed.confirmed)
}

/** The property: whatever was done before, the device would install what it is offered. */
const askAs = async (world: World, one: Device) => {
  const { api, projectId, offers, revoked } = world
  const { status, text, headers } = await api.call(device.update, {}, { as: one.token })
  if (status === 204) {
    offers.refused++
    return
  }
  expect(status, text).toBe(200)
  const manifest = referenceVerify(text, {
    now: api.deps.clock().getTime(),
    projectId,
    hardwareModel: one.model,
    installed: one.installed && { version: one.installed.version, mayReturnTo: one.installed.manifest?.may_return_to ?? [] },
    rollbackVersion: one.rollbackVersion,
    keys: one.trusted.flatMap((n) => {
      const signer = signers[n]
      return signer ? [{ ...signer, revoked: revoked.has(n) }] : []
    }),
  })
  const rolloutId = String(headers['x-rollout-id'])
  if (one.offer?.rolloutId === rolloutId) offers.again++
  else offers.made++
  one.offer = { rolloutId, manifest }
}

const reportAs = async (world: World, one: Device, type: DeviceEvent['type']) => {
  if (!one.offer) return
  const { rolloutId, manifest } = one.offer
  const facts = { rollout_id: rolloutId, release_id: manifest.id, version: manifest.version }
  const failure = type === 'update_failed' ? { reason_code: 'install_failed' as const } : {}
  const event = eventOf({ sequence: ++one.sequence, type, ...facts, ...failure, event_id: randomUUID() })
  await world.api.call(device.updateEvents, {}, { as: one.token, body: { events: [event] } })
  if (type !== 'update_confirmed') return
  one.installed = { manifest, id: manifest.id, version: manifest.version }
  one.rollbackVersion = Math.max(one.rollbackVersion, manifest.rollback_version ?? 0)
  one.offer = null
  // An agent says what it runs before it asks again.
  await checkInWith(world, one)
}

const endOne = async ({ api, ines, releases: made, keyIds, revoked }: World, { do: what, at: n }: Of<typeof end>) => {
  const releaseId = made[n % Math.max(1, made.length)]?.id
  const key = n % keyIds.length
  const signingKeyId = keyIds[key] ?? ''
  const reason = { as: ines, body: { reason: 'Not good' } }
  if (what === 'revokeKey') {
    const { status } = await api.call(revokeSigningKey, { signingKeyId }, reason)
    if (status === 200) revoked.add(key)
  }
  if (what === 'retireKey') await api.call(retireSigningKey, { signingKeyId }, { as: ines })
  if (what === 'revoke' && releaseId !== undefined) await api.call(releases.revokeRelease, { releaseId }, reason)
  if (what === 'archive' && releaseId !== undefined) await api.call(releases.archiveRelease, { releaseId }, { as: ines })
}

const moveOne = async ({ api, ines: as, rollouts }: World, { at: n, how }: Of<typeof move>) => {
  const rolloutId = rollouts[n % Math.max(1, rollouts.length)]
  if (rolloutId === undefined) return
  const reason = { reason: 'To see what it does' }
  if (how === 'pause') await api.call(steps.pauseRollout, { rolloutId }, { as, body: reason })
  else if (how === 'resume') await api.call(steps.resumeRollout, { rolloutId }, { as, body: reason })
  else if (how === 'halt') await api.call(steps.haltRollout, { rolloutId }, { as, body: reason })
  else if (how === 'back') await api.call(steps.rollBackRollout, { rolloutId }, { as, body: reason })
  else await api.call(steps.cancelRollout, { rolloutId }, { as, body: { mode: how } })
  await tickRollouts(api.deps)
}

const take = async (world: World, one: Step): Promise<void> => {
  const { api } = world
  if (one.do === 'release') return makeRelease(world, one)
  if (one.do === 'rollout') return startRollout(world, one)
  if (one.do === 'move') return moveOne(world, one)
  if (one.do === 'pass') {
    api.advance(one.hours * 3600)
    Object.assign(world.ines, await api.session(world.ines.id))
    return tickRollouts(api.deps)
  }
  const asking = 'at' in one ? world.devices[one.at % world.devices.length] : undefined
  if (one.do === 'checkIn' && asking) return claim(world, asking, one)
  if (one.do === 'ask' && asking) return askAs(world, asking)
  if (one.do === 'report' && asking) return reportAs(world, asking, one.type)
  if (one.do === 'revoke' || one.do === 'archive' || one.do === 'revokeKey' || one.do === 'retireKey') return endOne(world, one)
}

const models = ['gw', 'cam'] as const
const first = fc.record({
  version: fc.constantFrom(2, 3),
  rollback: fc.constantFrom(null, 0, 1),
  back: fc.constantFrom<number[]>([], [1]),
  by: fc.constantFrom<number[]>([0], [0, 1], [0, 1], [1]),
})
type First = Of<typeof first>

/** A release as the API makes it, signed and offered to all devices of the project: most sequences would not come so far. */
const insertFirst = async (world: World, { version: number, rollback, back, by }: First) => {
  const { api, projectId, keyIds, devices } = world
  const now = api.deps.clock()
  const file = { ...newRow(now), ...storedFile, projectId }
  const release = {
    ...newRow(now),
    projectId,
    name: 'Firmware',
    version: number,
    type: 'file' as const,
    hardwareModels: [...models],
    displayVersion: null,
    minInstalledVersion: null,
    rollbackVersion: rollback,
    allowDowngradeFrom: [],
    mayReturnTo: back,
    hooks: { pre_install: null, post_install: null, post_reboot: null },
    reboot: 'never' as const,
  }
  const expiresAt = new Date(now.getTime() + 365 * 86_400_000)
  const asset = {
    ...file,
    releaseId: release.id,
    rejectReason: null,
    downloadCount: 0,
    verifiedAt: null,
    verifiedStamp: null,
    damagedAt: null,
  }
  const rest = {
    createdBy: null,
    description: '',
    notes: '',
    returnListFilled: false,
    secureBootBundleId: null,
    state: 'released' as const,
    stateReason: null,
  }
  const noManifest = { payload: null, manifestSha256: null, manifestAt: null, expiresAt: null, warnings: [] }
  const manifest = manifestOf({ ...release, ...rest, ...noManifest }, [asset], { now, expiresAt })
  const payload = manifestBytes(manifest)
  await api.db.insert(releaseRows).values({ ...release, state: 'released', payload: toBase64(payload), expiresAt })
  await api.db.insert(assets).values(asset)
  const signedBy = { id: world.ines.id, name: 'Ines', kind: 'user' }
  const signed = by.map((n) => ({
    id: newRow(now).id,
    projectId,
    releaseId: release.id,
    keyId: keyIds[n] ?? '',
    signature: signatureOf(signers[n] ?? signers[0], toBase64(bytesToSign(payload)), false),
    signedAt: now,
    signedBy,
  }))
  await api.db.insert(releaseSignatures).values(signed)
  const rolloutId = newRow(now).id
  await api.db.insert(rolloutRows).values({
    ...newRow(now),
    id: rolloutId,
    projectId,
    releaseId: release.id,
    number: 1,
    name: 'Firmware #1',
    target: { everything: true },
    membership: 'frozen',
    maxConcurrent: 10,
    retries: 3,
    onFailure: 'halt',
    priority: 1,
    requiresApproval: false,
    phase: 'filling',
    currentWave: 1,
    previewHash: '0'.repeat(64),
    startedAt: now,
  })
  await api.db.insert(rolloutWaves).values({ rolloutId, n: 1, percent: 100, gate, state: 'filling', startedAt: now })
  const update = { projectId, rolloutId, wave: 1, state: 'queued' as const, since: now }
  const updates = devices.map(({ id }) => ({ ...update, deviceId: id, name: id }))
  await api.db.insert(rolloutDevices).values(updates)
  world.releases.push({ id: release.id, manifest })
  world.rollouts.push(rolloutId)
}

/** A project with two keys, and two devices that run version 1 of an unknown release and trust the first key. */
const createWorld = async (api: TestApi, ines: Person, offers: World['offers']): Promise<World> => {
  reachesTime(api, start)
  Object.assign(ines, await api.session(ines.id))
  const projectId = await api.project({ ownerId: ines.id }, randomUUID())
  const keys = signers.slice(0, 2).map(({ algorithm, pem, fingerprint }) => ({
    ...newRow(api.deps.clock()),
    projectId,
    name: algorithm,
    algorithm,
    publicKeyPem: pem,
    fingerprint,
    custody: 'external' as const,
    purpose: 'release' as const,
    state: 'active' as const,
  }))
  await api.db.insert(signingKeys).values(keys)
  const devices: Device[] = models.map((model) => {
    const installed = { manifest: null, id: null, version: 1 }
    const { id } = newRow(api.deps.clock())
    return { id, token: createToken('dvc'), model, installed, rollbackVersion: 0, trusted: [0], offer: null, sequence: 0 }
  })
  const rows = devices.map(({ id, model }) => ({
    ...newRow(api.deps.clock()),
    id,
    projectId,
    name: id,
    hardwareModel: model,
    lifecycle: 'active' as const,
    enrollment: 'group' as const,
    installedVersion: 1,
    trustedKeys: [signers[0].fingerprint],
  }))
  await api.db.insert(deviceRows).values(rows)
  const secrets = devices.map(({ id: deviceId, token }) => {
    const createdAt = api.deps.clock()
    return { tokenHash: hashOf(token), prefix: prefixOf(token), projectId, deviceId, createdAt }
  })
  await api.db.insert(deviceTokens).values(secrets)
  const keyIds = keys.map(({ id }) => id)
  return { api, ines, projectId, keyIds, revoked: new Set(), releases: [], rollouts: [], devices, offers }
}

/** Ticks of later sequences do not visit the rollouts of this one. */
const endWorld = async ({ api, projectId }: World) => {
  const open = ['scheduled', 'filling', 'soaking', 'waiting_for_user', 'paused', 'halted', 'rolling_back', 'cancelling'] as const
  await api.db
    .update(rolloutRows)
    .set({ phase: 'cancelled' })
    .where(and(eq(rolloutRows.projectId, projectId), inArray(rolloutRows.phase, [...open])))
}

const sequences = fc.tuple(first, fc.array(step, { minLength: 1, maxLength: 5 }))

describe('T-17 any sequence of calls', () => {
  const lanes = [0, 1] as const
  let apis: TestApi[]
  beforeAll(async () => {
    apis = await Promise.all(lanes.map(() => createTestApi()))
    for (const { deps } of apis) await deps.storage.write('firmware', Readable.from([bytes]))
  })
  afterAll(() => Promise.all(apis.map((api) => api.close())))

  it('offers nothing to a device that the reference verifier refuses', { timeout: within(7_200_000) }, async () => {
    const offers = { made: 0, again: 0, refused: 0 }
    const seed = fc.readConfigureGlobal()?.seed
    const run = async (api: TestApi, lane: number) => {
      const ines = await api.person()
      const property = fc.asyncProperty(sequences, async ([begun, taken]) => {
        const world = await createWorld(api, ines, offers)
        await insertFirst(world, begun)
        for (const one of taken) await take(world, one)
        for (const one of world.devices) await askAs(world, one)
        await endWorld(world)
      })
      await fc.assert(property, {
        numRuns: repetitions(60, 10_000),
        ...(seed !== undefined && { seed: seed + lane }),
      })
    }
    await Promise.all(apis.map(run))
    // Otherwise the property would hold of a server that offers nothing.
    expect(offers.made).toBeGreaterThan(repetitions(30, 6000))
    expect(offers.again).toBeGreaterThan(repetitions(10, 2000))
  })
})
