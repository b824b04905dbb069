import { onObject } from '../../../contract/core/endpoint'
import { modeBytes, usualMode } from '../../../contract/updates/file-modes'
import { releaseMoves } from '../../../machines/release/release.machine'
import type { Tx } from '../../core/database/tx'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { countOthersUploading, findAsset, updateAsset } from '../releases/assets/repository'
import { lockRelease, type ReleaseRow } from '../releases/repository'
import { isEditable, transitionRelease } from '../releases/transitions'
import type { UploadTarget } from './target'

const openTarget = async (tx: Tx, assetId: string) => {
  const asset = await findAsset(tx, assetId)
  const release = asset && (await lockRelease(tx, asset.releaseId))
  return asset && release ? { asset, release } : undefined
}

const moveOn = async (tx: Tx, release: ReleaseRow, assetId: string, wrong: string | null, now: Date) => {
  // A damaged file of a signed release was replaced: nothing else about the release changes.
  if (!isEditable(release.state)) return
  if ((await countOthersUploading(tx, release.id, assetId)) > 0) return
  const state = await transitionRelease(tx, release, 'upload.ended', now)
  await transitionRelease(tx, { id: release.id, state }, wrong === null ? 'assets.verified' : 'asset.rejected', now, {
    stateReason: wrong,
  })
}

/** A file of a release. The release is uploading until its last file has ended. */
export const assetTarget: UploadTarget = {
  scopeOf: (assetId) => ({ scope: onObject('asset', 'assetId'), params: { assetId } }),
  permission: 'project:manage_releases',
  action: 'asset.upload',

  begin: async (tx, { size, metadata, now }) => {
    const { asset, release } = (await openTarget(tx, metadata.target_id)) ?? notFound()
    // A signed file can only be replaced by identical bytes.
    const isSigned = !isEditable(release.state)
    if (isSigned && asset.damagedAt === null) refuse(409, 'not_a_draft', { message: 'Files can be changed in a draft only' })
    if (asset.state !== 'expected' && asset.state !== 'rejected') refuse(409, 'conflict', { about: { state: asset.state } })
    if (size !== asset.size) refuseField('size', 'other_size', `The file was declared with ${asset.size} bytes`)
    const sha256 = isSigned || asset.state === 'expected' ? asset.sha256 : null
    await updateAsset(tx, asset.id, { state: 'uploading', rejectReason: null }, now)
    if (!isSigned) await transitionRelease(tx, release, 'upload.began', now, { stateReason: null })
    return { sha256, contentType: asset.contentType }
  },

  headBytes: modeBytes,

  end: async (tx, row, { sha256, head, wrong }, now) => {
    const target = await openTarget(tx, row.targetId)
    if (!target) return undefined
    const { asset, release } = target
    // The integrity job reads the stored bytes and records that.
    const verified = { damagedAt: null, verifiedAt: null, verifiedStamp: null, sha1: null, md5: null }
    const hasNoMode = asset.kind === 'payload' && asset.mode === null && isEditable(release.state)
    const mode = hasNoMode ? usualMode(asset.name, head) : asset.mode
    const ready = { state: 'ready', sha256, mode, storageKey: row.id, rejectReason: null, ...verified } as const
    const facts = wrong === null ? ready : ({ state: 'rejected', rejectReason: wrong.text } as const)
    await updateAsset(tx, asset.id, { contentType: row.contentType, ...facts }, now)
    await moveOn(tx, release, asset.id, wrong?.text ?? null, now)
    return { kind: 'asset', id: asset.id, name: asset.name }
  },

  // Its release cannot be repaired otherwise: a file of a signed release is not removed. Only the same bytes are accepted.
  takesOver: async (tx, assetId) => ((await findAsset(tx, assetId))?.damagedAt ?? null) !== null,

  cancel: async (tx, assetId, now) => {
    const target = await openTarget(tx, assetId)
    if (target?.asset.state !== 'uploading') return
    const { asset, release } = target
    await updateAsset(tx, asset.id, { state: asset.damagedAt === null ? 'expected' : 'rejected' }, now)
    const isLast = (await countOthersUploading(tx, release.id, asset.id)) === 0
    if (isLast && releaseMoves.canMove(release.state, 'upload.cancelled'))
      await transitionRelease(tx, release, 'upload.cancelled', now)
  },
}
