import { countOthersUploading, findAsset, updateAsset } from '../releases/assets/repository'
import type { Tx } from '../../core/database/tx'
import { transitionRelease } from '../releases/transitions'
import { lockRelease } from '../releases/repository'
import { releaseMoves } from '../../../machines/release/release.machine'
import { endOpenUpload } from './repository'

export const openTarget = async (tx: Tx, assetId: string) => {
  const asset = await findAsset(tx, assetId)
  const release = asset && (await lockRelease(tx, asset.releaseId))
  return asset && release ? { asset, release } : undefined
}

/** Ends an unfinished upload: its file is expected again, and the release is a draft again if no other file is being uploaded. */
export const cancelUpload = async (tx: Tx, id: string, state: 'failed' | 'expired', error: string, now: Date): Promise<void> => {
  const row = await endOpenUpload(tx, id, { state, error })
  const target = row && (await openTarget(tx, row.targetId))
  if (!target || target.asset.state !== 'uploading') return
  const { asset, release } = target
  await updateAsset(tx, asset.id, { state: asset.damagedAt === null ? 'expected' : 'rejected' }, now)
  const isLast = (await countOthersUploading(tx, release.id, asset.id)) === 0
  if (isLast && releaseMoves.canMove(release.state, 'upload.cancelled'))
    await transitionRelease(tx, release, 'upload.cancelled', now)
}
