import { eq } from 'drizzle-orm'
import { is } from 'superstruct'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Envelope } from '../../../../contract/device/dsse'
import { update } from '../../../../contract/device/endpoints'
import { fromBase64 } from '../../../../contract/device/bytes'
import { payloadType, readManifest, type TrustedKey } from '../../../../contract/device/manifest'
import { ids } from '../../../../contract/device/manifest.fixture'
import { pemOf, type PublicKey } from '../../../../contract/device/public-key'
import type { Refusal } from '../../../../contract/device/refusals'
import { accepted, type Given, givenBy, keys, refused, stranger, type Vector } from '../../../../contract/device/verify.fixture'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import type { Person } from '../../../../tests/support/people'
import { createTestObjects } from '../../../../tests/support/test-objects'
import { standardSettings } from '../../../accounts/projects/settings'
import { projects } from '../../../accounts/schema/projects'
import { newRow } from '../../../core/database/row'
import { devices } from '../../../fleet/schema/devices'
import { signingKeys } from '../../../fleet/schema/keys'
import { releases, releaseSignatures } from '../../schema/releases'
import { rolloutDevices, rollouts } from '../../schema/rollouts'
import { refusalOf } from './device-verdict'

describe('T-17 the verdict of the server on the text that a device would get', () => {
  const textOf = (envelope: unknown) => JSON.stringify(envelope) ?? ''

  it.each(accepted)('takes $title', async (vector) => {
    const { envelope, keys: trusted, facts } = await givenBy(vector)
    expect(await refusalOf(textOf(envelope), trusted, facts)).toBeNull()
  })

  it.each(refused)('refuses $title', async ({ code, reason, ...vector }) => {
    const { envelope, keys: trusted, facts } = await givenBy(vector)
    expect(await refusalOf(textOf(envelope), trusted, facts)).toMatchObject({ code, reason })
  })

  it('refuses a text that is not JSON', async () => {
    const { keys: trusted, facts } = await givenBy(accepted[0]!)
    expect(await refusalOf('{"payload":', trusted, facts)).toMatchObject({ reason: 'envelope_malformed' })
  })
})

describe('T-17 a device asks while the stored release has the metadata of a vector', () => {
  let api: TestApi
  let ines: Person
  /** The ids of the registered keys by fingerprint. */
  const registered = new Map<string, string>()
  beforeAll(async () => {
    api = await createTestApi()
    ines = await api.person()
    const project = { ...newRow(api.deps.clock()), id: ids.project, ownerId: ines.id, name: 'Vectors' }
    await api.db.insert(projects).values({ ...project, settings: standardSettings })
    for (const key of [...keys, stranger.publicKey]) await register(key)
  })
  afterAll(() => api.close())

  const register = async (key: PublicKey) => {
    const { algorithm, fingerprint } = key
    const row = { ...newRow(api.deps.clock()), projectId: ids.project, name: fingerprint, algorithm, fingerprint }
    const facts = { custody: 'external', purpose: 'release', state: 'active' } as const
    await api.db.insert(signingKeys).values({ ...row, ...facts, publicKeyPem: pemOf(key) })
    registered.set(fingerprint, row.id)
  }

  /** Columns for which every check on columns passes, except that of the version: the bytes alone decide. */
  const storeRelease = async ({ payload, signatures }: Envelope, { facts }: Given) => {
    const now = api.deps.clock()
    const manifest = readManifest(fromBase64(payload) ?? new Uint8Array())
    const signed =
      'manifest' in manifest ? manifest.manifest : { version: (facts.installedVersion ?? 0) + 1, allow_downgrade_from: [] }
    const row = {
      ...newRow(now),
      projectId: ids.project,
      name: 'Vector',
      version: signed.version,
      allowDowngradeFrom: signed.allow_downgrade_from,
      type: 'file' as const,
      hardwareModels: [facts.hardwareModel],
      rollbackVersion: facts.rollbackVersion,
      hooks: { pre_install: null, post_install: null, post_reboot: null },
      reboot: 'never' as const,
      state: 'released' as const,
      payload,
      expiresAt: new Date('2099-01-01T00:00:00Z'),
    }
    await api.db.insert(releases).values(row)
    const signedBy = { id: ines.id, name: 'Ines', kind: 'user' }
    for (const { keyid, sig } of signatures) {
      const keyId = registered.get(keyid)
      const signature = { projectId: ids.project, releaseId: row.id, signature: sig, signedAt: now, signedBy }
      if (keyId !== undefined) await api.db.insert(releaseSignatures).values({ ...newRow(now), ...signature, keyId })
    }
    return row.id
  }

  /** The installed release of a device with a return list. */
  const storeInstalled = async ({ installedVersion, mayReturnTo }: Given['facts']) => {
    const id = await createTestObjects(api.deps).release(ids.project)
    const set = { version: installedVersion ?? 1, mayReturnTo: [...mayReturnTo] }
    await api.db.update(releases).set(set).where(eq(releases.id, id))
    return id
  }

  const storeDevice = async ({ facts, keys: trusted }: Given) => {
    const objects = createTestObjects(api.deps)
    const { id, token } = await objects.device(ids.project)
    const { hardwareModel, installedVersion, rollbackVersion } = facts
    const installedReleaseId = facts.mayReturnTo.length > 0 ? await storeInstalled(facts) : null
    const trustedKeys = trusted.map(({ fingerprint }) => fingerprint)
    const set = { hardwareModel, installedVersion, rollbackVersion, installedReleaseId, trustedKeys }
    await api.db.update(devices).set(set).where(eq(devices.id, id))
    return { id, token }
  }

  const target = async (releaseId: string, deviceId: string) => {
    const projectId = ids.project
    const rolloutId = await createTestObjects(api.deps).rollout(projectId, releaseId)
    const started = { phase: 'filling', currentWave: 1, allowDowngrade: { reason: 'The vectors' } } as const
    await api.db
      .update(rollouts)
      .set({ ...started, number: ++number })
      .where(eq(rollouts.id, rolloutId))
    const row = { projectId, rolloutId, deviceId, name: deviceId, wave: 1, state: 'queued', since: api.deps.clock() } as const
    await api.db.insert(rolloutDevices).values(row)
  }
  let number = 1000

  const setRevoked = async (trusted: readonly TrustedKey[], state: 'revoked' | 'active') => {
    for (const { revoked, fingerprint } of trusted)
      if (revoked) await api.db.update(signingKeys).set({ state }).where(eq(signingKeys.fingerprint, fingerprint))
  }

  const isRegistered = (key: TrustedKey) =>
    [...keys, stranger.publicKey].some(
      ({ fingerprint, algorithm }) => fingerprint === key.fingerprint && algorithm === key.algorithm,
    )
  // Rows hold an envelope of the right form and keys of the right algorithm only, and the server has a clock.
  const isStored = ({ envelope, facts, keys: trusted }: Given): boolean =>
    is(envelope, Envelope) && envelope.payloadType === payloadType && Number.isFinite(facts.now) && trusted.every(isRegistered)

  const ask = async (given: Given) => {
    api.advance((given.facts.now - api.deps.clock().getTime()) / 1000)
    const releaseId = await storeRelease(given.envelope as Envelope, given)
    const device = await storeDevice(given)
    await target(releaseId, device.id)
    await setRevoked(given.keys, 'revoked')
    const answer = await api.call(update, {}, { as: device.token })
    await setRevoked(given.keys, 'active')
    return answer
  }

  const stored = async <V extends Vector>(vectors: readonly V[]): Promise<[V, Given][]> => {
    const all = await Promise.all(vectors.map(async (vector): Promise<[V, Given]> => [vector, await givenBy(vector)]))
    return all.filter(([, given]) => isStored(given))
  }

  it('gets the envelope for each vector that it would accept', async () => {
    const vectors = await stored(accepted)
    expect(vectors.length).toBeGreaterThanOrEqual(20)
    for (const [{ title }, given] of vectors) {
      const { status, headers } = await ask(given)
      expect([title, status, headers['x-reason']]).toEqual([title, 200, undefined])
    }
  })

  it('gets a reason, and no envelope, for each vector that it would refuse', async () => {
    const vectors = await stored(refused)
    expect(vectors.length).toBeGreaterThanOrEqual(80)
    const reasons: Partial<Record<Refusal, string>> = {
      key_unknown: 'key_not_trusted',
      key_revoked: 'key_not_trusted',
      not_newer: 'up_to_date',
    }
    for (const [{ title, reason }, given] of vectors) {
      const { status, headers } = await ask(given)
      expect([title, status, headers['x-reason']]).toEqual([title, 204, reasons[reason] ?? 'not_targeted'])
    }
  })
})
