import { and, count, eq, inArray, ne } from 'drizzle-orm'
import { assets, uploads } from '../schema/releases'
import type { Tx } from '../../core/database/tx'
import { lockRelease, transitionRelease } from '../releases/transitions'
import { releaseMoves } from '../../../machines/release/release.machine'
import { rowUpdate } from '../../core/database/row'

export const openTarget = async (tx: Tx, assetId: string) => {
  const [asset] = await tx.select().from(assets).where(eq(assets.id, assetId))
  const release = asset && (await lockRelease(tx, asset.releaseId))
  return asset && release ? { asset, release } : undefined
}

/** How many other files of the release are being uploaded. */
export const othersUploading = async (tx: Tx, releaseId: string, assetId: string): Promise<number> => {
  const others = and(eq(assets.releaseId, releaseId), ne(assets.id, assetId), inArray(assets.state, ['uploading', 'verifying']))
  const [row] = await tx.select({ n: count() }).from(assets).where(others)
  return row?.n ?? 0
}

/** Ends an unfinished upload: its file is expected again, and the release is a draft again if no other file is being uploaded. */
export const cancelUpload = async (tx: Tx, id: string, state: 'failed' | 'expired', error: string, now: Date): Promise<void> => {
  const [row] = await tx
    .update(uploads)
    .set({ state, error })
    .where(and(eq(uploads.id, id), eq(uploads.state, 'open')))
    .returning()
  const target = row && (await openTarget(tx, row.targetId))
  if (!target || target.asset.state !== 'uploading') return
  const { asset, release } = target
  await tx
    .update(assets)
    .set({ ...rowUpdate(now), state: asset.damagedAt === null ? 'expected' : 'rejected' })
    .where(eq(assets.id, asset.id))
  const isLast = (await othersUploading(tx, release.id, asset.id)) === 0
  if (isLast && releaseMoves.canMove(release.state, 'upload.cancelled'))
    await transitionRelease(tx, release, 'upload.cancelled', now)
}
