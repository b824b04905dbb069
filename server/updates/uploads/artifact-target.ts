import { onObject } from '../../../contract/core/endpoint'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { defineReading } from '../../core/reading/reading-threads'
import { findArtifact, updateArtifact } from '../secure-boot/artifacts.repository'
import { lockBundle } from '../secure-boot/repository'
import { privateKeyText } from '../secure-boot/private-key-text'
import { requireEditable, transitionBundle } from '../secure-boot/transitions'
import type { KeySearch } from './find-private-key'
import type { UploadTarget } from './target'

const searchForKeys = defineReading<undefined, KeySearch>('private-key', 'uploads')

/** A file of a secure boot bundle. A bundle whose file has changed must be checked again. */
export const artifactTarget: UploadTarget = {
  scopeOf: (artifactId) => ({ scope: onObject('bundle_artifact', 'artifactId'), params: { artifactId } }),
  permission: 'project:update',
  action: 'bundle.artifact_upload',
  refusedAction: 'bundle.private_key',

  begin: async (tx, { size, metadata, now }) => {
    const artifact = (await findArtifact(tx, metadata.target_id)) ?? notFound()
    await requireEditable(tx, (await lockBundle(tx, artifact.bundleId)) ?? notFound())
    if (artifact.state !== 'expected' && artifact.state !== 'rejected')
      refuse(409, 'conflict', { about: { state: artifact.state } })
    if (size !== artifact.size) refuseField('size', 'other_size', `The file was declared with ${artifact.size} bytes`)
    await updateArtifact(tx, artifact.id, { state: 'uploading', rejectCode: null, rejectReason: null }, now)
    return { sha256: artifact.state === 'expected' ? artifact.sha256 : null, contentType: 'application/octet-stream' }
  },

  end: async (tx, row, { sha256, wrong }, now) => {
    const found = await findArtifact(tx, row.targetId)
    const bundle = found && (await lockBundle(tx, found.bundleId))
    const artifact = bundle && (await findArtifact(tx, row.targetId))
    if (!artifact) return undefined
    const none = { rejectCode: null, rejectReason: null, signature: null, parsed: null, certificateExpiresAt: null }
    const facts = wrong
      ? ({ state: 'rejected', rejectCode: wrong.code, rejectReason: wrong.text } as const)
      : ({ ...none, state: 'ready', sha256, storageKey: row.id } as const)
    await updateArtifact(tx, artifact.id, facts, now)
    if (wrong?.code === 'private_key')
      await transitionBundle(tx, bundle, 'private_key.found', now, { stateReason: `${artifact.fileName}: ${wrong.text}` })
    else if (!wrong) await transitionBundle(tx, bundle, 'artifact.added', now, { stateReason: null })
    return { kind: 'bundle_artifact', id: artifact.id, name: artifact.fileName }
  },

  cancel: async (tx, artifactId, now) => {
    const artifact = await findArtifact(tx, artifactId)
    if (artifact?.state === 'uploading') await updateArtifact(tx, artifact.id, { state: 'expected' }, now)
  },

  refuseBytes: async (bytes, { log }) => {
    const outcome = await searchForKeys({ given: undefined, files: [bytes], log })
    if (outcome.kind === 'stopped')
      return { code: 'unreadable', text: `The file could not be searched for private keys: ${outcome.text}` }
    return outcome.result && { code: 'private_key', text: privateKeyText(outcome.result) }
  },
}
