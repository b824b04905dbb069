import { createHash, randomBytes } from 'node:crypto'
import type { Envelope } from '../../contract/device/dsse'
import { sign } from '../../contract/device/dsse'
import { type Manifest, manifestBytes, payloadType, createEnvelope } from '../../contract/device/manifest'
import { generateSigningKey, type SigningKey } from '../../contract/device/private-key'

export const project = '01JNV4E3S000000000000PR0J1'
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
export const newId = () => `01${Array.from(randomBytes(24), (byte) => alphabet[byte % 32]).join('')}`

type Asset = { id: string; bytes: Buffer; sha256: string }
export type Release = { manifest: Manifest; envelope: Envelope; assets: Asset[]; rolloutId: string }

type FilePlan = {
  name?: string
  kind?: Manifest['files'][number]['kind']
  bytes: Buffer | string
  location?: string | null
  mode?: string
}
export type Plan = Partial<Omit<Manifest, 'files' | 'hooks'>> & {
  version: number
  files: FilePlan[]
  hooks?: Partial<Record<keyof Manifest['hooks'], string>>
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const assetOf = (bytes: Buffer | string): Asset => {
  const buffer = Buffer.from(bytes)
  return { id: newId(), bytes: buffer, sha256: hashOf(buffer) }
}

/** A release as the console would create it, with real bytes, hashes and signature. Hooks are shell scripts. */
export const release = async (key: SigningKey, { files: plans, hooks = {}, ...changes }: Plan): Promise<Release> => {
  const assets: Asset[] = []
  const files: Manifest['files'] = []
  const add = (asset: Asset, { name, kind = 'payload', location = null, mode = '0644' }: Omit<FilePlan, 'bytes'>) => {
    assets.push(asset)
    files.push({
      name: name ?? `file-${assets.length}`,
      kind,
      size: asset.bytes.length,
      sha256: asset.sha256,
      install_location: location,
      mode,
      path: `/device/v1/assets/${asset.id}`,
    })
  }
  for (const plan of plans) add(assetOf(plan.bytes), plan)
  const hookHashes: Manifest['hooks'] = { pre_install: null, post_install: null, post_reboot: null }
  for (const [name, script] of Object.entries(hooks)) {
    const asset = assetOf(`#!/bin/sh\n${script}\n`)
    hookHashes[name as keyof Manifest['hooks']] = asset.sha256
    add(asset, { name: `${name}.sh`, kind: 'hook', mode: '0755' })
  }
  const manifest: Manifest = {
    schema: 1,
    id: newId(),
    project_id: project,
    name: `Release ${changes.version}`,
    display_version: null,
    type: 'file',
    hardware_models: ['gw-imx8m'],
    min_installed_version: null,
    rollback_version: null,
    created_at: new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z/, '+00:00'),
    expires_at: new Date(Date.now() + 86_400_000 * 30).toISOString().replace(/\.\d+Z/, '+00:00'),
    reboot: 'never',
    allow_downgrade_from: [],
    ...changes,
    hooks: hookHashes,
    files,
  }
  const payload = manifestBytes(manifest)
  return { manifest, envelope: createEnvelope(payload, [await sign(key, payloadType, payload)]), assets, rolloutId: newId() }
}

export const newKey = (): Promise<SigningKey> => generateSigningKey('ed25519')
