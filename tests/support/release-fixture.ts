import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { fromBase64, sha256, toBase64 } from '../../contract/device/bytes'
import { sign } from '../../contract/device/dsse'
import { manifestBytes, payloadType } from '../../contract/device/manifest'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { createSigningKey } from '../../contract/fleet/keys'
import * as releaseAssets from '../../contract/updates/release-assets'
import * as releaseSigning from '../../contract/updates/release-signing'
import * as contract from '../../contract/updates/releases'
import { assets, releases } from '../../server/updates/schema/releases'
import { manifestOf } from '../../server/updates/releases/manifest-of'
import type { TestApi } from './api'
import type { Person } from './people'
import { uploadFile } from './upload-file'

type Wanted = {
  version: number
  bytes: Buffer
  models?: string[]
  downgradeFrom?: number[]
  mayReturnTo?: number[] | null
  displayVersion?: string
  bundleId?: string
  fileName?: string
  /** The place of a second file. */
  addedFile?: string
  reboot?: 'never' | 'after_install'
}

/** Builds the manifest as the server did before manifests had a return list. */
const finalizeWithoutList = async ({ db, deps }: Pick<TestApi, 'db' | 'deps'>, releaseId: string) => {
  const [row] = await db.select().from(releases).where(eq(releases.id, releaseId))
  if (!row) throw new Error(`no release ${releaseId}`)
  const now = deps.clock()
  const expiresAt = new Date(now.getTime() + 30 * 86_400_000)
  const files = await db.select().from(assets).where(eq(assets.releaseId, releaseId))
  const { may_return_to: _, ...manifest } = manifestOf(row, files, { now, expiresAt })
  const payload = manifestBytes(manifest)
  const built = { payload: toBase64(payload), manifestSha256: await sha256(payload), manifestAt: now, expiresAt }
  await db
    .update(releases)
    .set({ ...built, state: 'awaiting_signature' })
    .where(eq(releases.id, releaseId))
}

/** A project's key and the steps of a release through the API: draft, file, upload, manifest, signature. */
export const createReleaseFixture = async (api: TestApi, as: Person, projectId: string) => {
  const key = await generateSigningKey('ed25519')
  const body = {
    name: `Key ${key.publicKey.fingerprint.slice(0, 8)}`,
    algorithm: 'ed25519' as const,
    public_key_pem: pemOf(key.publicKey),
  }
  const registered = await api.call(createSigningKey, { projectId }, { as, body })
  expect(registered.status, registered.text).toBe(201)

  const draft = async ({
    version,
    bytes,
    models = ['gw'],
    downgradeFrom = [],
    mayReturnTo = null,
    displayVersion,
    bundleId,
    reboot,
    fileName = 'app.bin',
  }: Wanted) => {
    const facts = {
      name: `Firmware ${version}`,
      version,
      type: 'file' as const,
      hardware_models: models,
      allow_downgrade_from: downgradeFrom,
      may_return_to: mayReturnTo,
      ...(reboot !== undefined && { reboot }),
      ...(bundleId !== undefined && { secure_boot_bundle_id: bundleId }),
      ...(displayVersion !== undefined && { display_version: displayVersion }),
    }
    const made = await api.call(contract.createRelease, { projectId }, { as, body: facts })
    expect(made.status, made.text).toBe(201)
    const releaseId = made.body.id
    const file = { name: fileName, kind: 'payload' as const, size: bytes.length, install_location: '/opt/app.bin' }
    const asset = await api.call(releaseAssets.createAsset, { releaseId }, { as, body: file })
    expect(asset.status, asset.text).toBe(201)
    return { releaseId, assetId: asset.body.id }
  }

  const filled = async (wanted: Wanted) => {
    const { releaseId, assetId } = await draft(wanted)
    await uploadFile(api, as, assetId, wanted.bytes)
    if (wanted.addedFile !== undefined) {
      const file = { name: 'added.bin', kind: 'payload' as const, size: 5, install_location: wanted.addedFile }
      const added = await api.call(releaseAssets.createAsset, { releaseId }, { as, body: file })
      await uploadFile(api, as, added.body.id, Buffer.from('added'))
    }
    return { releaseId, assetId }
  }

  const signature = async (releaseId: string) => {
    const { body: toSign } = await api.call(releaseSigning.releaseToSign, { releaseId }, { as })
    const { signature: raw } = await sign(key, payloadType, fromBase64(toSign.payload_base64) ?? new Uint8Array())
    return { key_id: registered.body.id, signature_base64: toBase64(raw) }
  }

  const signed = async (wanted: Wanted) => {
    const { releaseId } = await filled(wanted)
    const final = await api.call(releaseSigning.finalizeRelease, { releaseId }, { as, body: {} })
    expect(final.status, final.text).toBe(200)
    return endorsed(releaseId)
  }

  /** A release signed before manifests had a return list. */
  const signedWithoutList = async (wanted: Wanted) => {
    const { releaseId } = await filled(wanted)
    await finalizeWithoutList(api, releaseId)
    return endorsed(releaseId)
  }

  const endorsed = async (releaseId: string) => {
    const ready = await api.call(releaseSigning.signRelease, { releaseId }, { as, body: await signature(releaseId) })
    expect(ready.status, ready.text).toBe(200)
    return ready.body
  }

  return { key, keyId: registered.body.id, draft, filled, signature, signed, signedWithoutList }
}
