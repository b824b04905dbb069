import { expect, vi } from 'vitest'
import { releaseSboms } from '../../../contract/updates/components'
import { fromBase64, toBase64 } from '../../../contract/device/bytes'
import { sign } from '../../../contract/device/dsse'
import { payloadType } from '../../../contract/device/manifest'
import { generateSigningKey } from '../../../contract/device/private-key'
import { pemOf } from '../../../contract/device/public-key'
import { createSigningKey } from '../../../contract/fleet/keys'
import { createAsset } from '../../../contract/updates/release-assets'
import { finalizeRelease, signRelease } from '../../../contract/updates/release-signing'
import { createRelease } from '../../../contract/updates/releases'
import { createUpload } from '../../../contract/updates/uploads'
import { sessionHeader } from '../../../contract/accounts/sessions'
import { call } from './call'
import type { Hosts, Visitor } from './hosts'
import { within } from '../../support/machine-load'

const tus = { 'tus-resumable': '1.0.0' }
const base64 = (text: string) => Buffer.from(text).toString('base64')

type Release = {
  name: string
  version: number
  bytes: Buffer
  sbom?: object
  hardwareModels?: string[]
  fileName?: string
  displayVersion?: string
}

/** The steps of a release through the API. */
export const artifacts = async ({ api }: Hosts, { token: as }: Visitor, projectId: string) => {
  const key = await generateSigningKey('ed25519')
  const facts = { name: 'release-2026', algorithm: 'ed25519' as const, public_key_pem: pemOf(key.publicKey) }
  const { body: registered } = await call(api, createSigningKey, { projectId }, { as, body: facts })

  const send = async (assetId: string, name: string, bytes: Buffer) => {
    const metadata = Object.entries({ filename: name, purpose: 'release_asset', target_id: assetId })
    const headers = {
      ...tus,
      'upload-length': String(bytes.length),
      'upload-metadata': metadata.map(([key, value]) => `${key} ${base64(value)}`).join(','),
    }
    const made = await call(api, createUpload, {}, { as, headers })
    const { pathname } = new URL(made.headers.get('location') ?? '', api)
    const sent = await fetch(`${api}${pathname}`, {
      method: 'PATCH',
      headers: { ...tus, [sessionHeader]: as, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      body: new Uint8Array(bytes),
    })
    if (sent.status !== 204) throw new Error(`The upload of ${name}: ${sent.status} ${await sent.text()}`)
  }

  /** A job of the server reads it a few seconds later. */
  const addSbom = async (releaseId: string, bytes: Buffer) => {
    const file = { name: 'gateway.cdx.json', kind: 'sbom' as const, size: bytes.length }
    const asset = await call(api, createAsset, { releaseId }, { as, body: file })
    await send(asset.body.id, file.name, bytes)
    const readSboms = async () => (await call(api, releaseSboms, { releaseId }, { as })).body.sboms
    // Not `expect.poll`: data is also made before the tests.
    await vi.waitFor(async () => expect((await readSboms()).map(({ state }) => state)).toEqual(['read']), {
      timeout: within(30_000),
      interval: 200,
    })
  }

  /** A draft with its file, and its SBOM if there is one. */
  const filled = async (release: Release) => {
    const { name, version, bytes, sbom, hardwareModels = ['gw-imx8m'], fileName = 'gateway.bin', displayVersion } = release
    const draft = {
      name,
      version,
      type: 'file' as const,
      hardware_models: hardwareModels,
      notes: '- Valve schedules',
      ...(displayVersion !== undefined && { display_version: displayVersion }),
    }
    const { body } = await call(api, createRelease, { projectId }, { as, body: draft })
    const file = { name: fileName, kind: 'payload' as const, size: bytes.length, install_location: '/opt/gateway.bin' }
    const asset = await call(api, createAsset, { releaseId: body.id }, { as, body: file })
    await send(asset.body.id, file.name, bytes)
    if (sbom) await addSbom(body.id, Buffer.from(JSON.stringify(sbom)))
    return body.id
  }
  const awaiting = async (release: Release) => {
    const releaseId = await filled(release)
    const { body } = await call(api, finalizeRelease, { releaseId }, { as, body: {} })
    return { releaseId, payload: fromBase64(body.to_sign.payload_base64) ?? new Uint8Array() }
  }
  const signed = async (release: Release) => {
    const { releaseId, payload } = await awaiting(release)
    const { signature } = await sign(key, payloadType, payload)
    const body = { key_id: registered.id, signature_base64: toBase64(signature) }
    await call(api, signRelease, { releaseId }, { as, body })
    return releaseId
  }
  return { fingerprint: key.publicKey.fingerprint, filled, awaiting, signed }
}
