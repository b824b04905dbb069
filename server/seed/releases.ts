import type { FastifyInstance } from 'fastify'
import { createAsset } from '../../contract/updates/release-assets'
import { finalizeRelease, signRelease } from '../../contract/updates/release-signing'
import { createRelease, type Release, release as one } from '../../contract/updates/releases'
import { agentCommand } from '../core/agent-command'
import type { ApiCaller } from './caller'
import type { ReleaseLine } from './catalogue'
import { firmware, sha256, upload } from './upload'

type SeedContext = {
  app: FastifyInstance
  host: string
  ask: ApiCaller
  as: string
  projectId: string
  keyId: string
  keyPath: string
}

/** Creates one release as a person would: a draft, its file, the manifest, and a signature made by the agent's command. */
export const makeRelease = async (bench: SeedContext, line: ReleaseLine): Promise<Release> => {
  const { app, host, ask, as, projectId } = bench
  const draft = await ask(
    createRelease,
    { projectId },
    {
      as,
      body: {
        name: line.name,
        version: line.version,
        display_version: line.display,
        type: line.kind === 'rootfs' ? 'rootfs' : 'file',
        hardware_models: [line.model],
        description: line.description,
        notes: line.notes,
        reboot: line.kind === 'rootfs' ? 'after_install' : 'if_needed',
      },
    },
  )
  const releaseId = draft.id
  const bytes = firmware(line.file, line.size)
  const facts = { name: line.file, kind: line.kind, size: bytes.length, sha256: sha256(bytes) }
  const place = line.location === null ? {} : { install_location: line.location, mode: '0644' }
  const asset = await ask(createAsset, { releaseId }, { as, body: { ...facts, ...place } })
  await upload(app, host, as, { name: line.file, bytes, assetId: asset.id })
  const { to_sign } = await ask(finalizeRelease, { releaseId }, { as, body: {} })
  if (line.role === 'unsigned') return ask(one, { releaseId }, { as })
  const manifest = Buffer.from(to_sign.payload_base64, 'base64')
  const signature = await agentCommand(['sign', '--key', bench.keyPath, '--manifest', '-'], manifest)
  return ask(signRelease, { releaseId }, { as, body: { key_id: bench.keyId, signature_base64: signature.trim() } })
}
