import { and, count, eq, inArray, ne } from 'drizzle-orm'
import { rowUpdate } from '../../../core/database/row'
import type { Tx } from '../../../core/database/tx'
import { assets } from '../../schema/releases'
import type { AssetRow } from './integrity'

export const findAsset = async (tx: Tx, id: string): Promise<AssetRow | undefined> => {
  const [asset] = await tx.select().from(assets).where(eq(assets.id, id))
  return asset
}

/** How many other files of the release are being uploaded. */
export const countOthersUploading = async (tx: Tx, releaseId: string, assetId: string): Promise<number> => {
  const others = and(eq(assets.releaseId, releaseId), ne(assets.id, assetId), inArray(assets.state, ['uploading', 'verifying']))
  const [row] = await tx.select({ n: count() }).from(assets).where(others)
  return row?.n ?? 0
}

export const updateAsset = async (tx: Tx, id: string, set: Partial<AssetRow>, now: Date): Promise<void> => {
  await tx
    .update(assets)
    .set({ ...rowUpdate(now), ...set })
    .where(eq(assets.id, id))
}
