import { expect } from 'vitest'
import { fromBase64, toBase64 } from '../../contract/device/bytes'
import { sign } from '../../contract/device/dsse'
import { payloadType } from '../../contract/device/manifest'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { createSigningKey } from '../../contract/keys'
import * as releaseAssets from '../../contract/release-assets'
import * as releaseSigning from '../../contract/release-signing'
import * as contract from '../../contract/releases'
import type { TestApi } from './api'
import type { Person } from './people'
import { upload } from './uploading'

type Wanted = { version: number; bytes: Buffer; models?: string[]; downgradeFrom?: number[] }

/** A project's key and the way of a release through the API: draft, file, upload, manifest, signature. */
export const releasing = async (api: TestApi, as: Person, projectId: string) => {
  const key = await generateSigningKey('ed25519')
  const body = {
    name: `Key ${key.publicKey.fingerprint.slice(0, 8)}`,
    algorithm: 'ed25519' as const,
    public_key_pem: pemOf(key.publicKey),
  }
  const registered = await api.call(createSigningKey, { projectId }, { as, body })
  expect(registered.status, registered.text).toBe(201)

  const draft = async ({ version, bytes, models = ['gw'], downgradeFrom = [] }: Wanted) => {
    const facts = {
      name: `Firmware ${version}`,
      version,
      type: 'file' as const,
      hardware_models: models,
      allow_downgrade_from: downgradeFrom,
    }
    const made = await api.call(contract.createRelease, { projectId }, { as, body: facts })
    expect(made.status, made.text).toBe(201)
    const releaseId = made.body.id
    const file = { name: 'app.bin', kind: 'payload' as const, size: bytes.length, install_location: '/opt/app.bin' }
    const asset = await api.call(releaseAssets.createAsset, { releaseId }, { as, body: file })
    expect(asset.status, asset.text).toBe(201)
    return { releaseId, assetId: asset.body.id }
  }

  const filled = async (wanted: Wanted) => {
    const { releaseId, assetId } = await draft(wanted)
    await upload(api, as, assetId, wanted.bytes)
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
    const ready = await api.call(releaseSigning.signRelease, { releaseId }, { as, body: await signature(releaseId) })
    expect(ready.status, ready.text).toBe(200)
    return ready.body
  }

  return { key, keyId: registered.body.id, draft, filled, signature, signed }
}
