import { and, asc, count, eq, inArray, isNull, lt, ne, notInArray, type SQL, sql } from 'drizzle-orm'
import { rowUpdate } from '../../../core/database/row'
import type { Tx } from '../../../core/database/tx'
import { assets, releases } from '../../schema/releases'
import { rolloutDevices, rollouts } from '../../schema/rollouts'

export type AssetRow = typeof assets.$inferSelect

export const findAsset = async (tx: Tx, id: string): Promise<AssetRow | undefined> => {
  const [asset] = await tx.select().from(assets).where(eq(assets.id, id))
  return asset
}

export const findAssetOfRelease = async (tx: Tx, releaseId: string, id: string): Promise<AssetRow | undefined> => {
  const [asset] = await tx
    .select()
    .from(assets)
    .where(and(eq(assets.id, id), eq(assets.releaseId, releaseId)))
  return asset
}

export const findAssetProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [row] = await tx.select({ projectId: assets.projectId }).from(assets).where(eq(assets.id, id))
  return row
}

/** An asset of a project with the state of its release. */
export const findAssetOfProject = async (tx: Tx, projectId: string, id: string) => {
  const [found] = await tx
    .select({ asset: assets, state: releases.state })
    .from(assets)
    .innerJoin(releases, eq(releases.id, assets.releaseId))
    .where(and(eq(assets.id, id), eq(assets.projectId, projectId)))
  return found
}

/** Whether the device has been offered the release: before that, it does not know the asset's id. */
export const isOffered = async (tx: Tx, deviceId: string, releaseId: string): Promise<boolean> => {
  const [found] = await tx
    .select({ one: sql`1` })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .where(
      and(
        eq(rolloutDevices.deviceId, deviceId),
        eq(rollouts.releaseId, releaseId),
        notInArray(rolloutDevices.state, ['queued', 'held', 'skipped']),
      ),
    )
    .limit(1)
  return found !== undefined
}

export const listReadyAssets = (tx: Tx, releaseId: string): Promise<AssetRow[]> =>
  tx
    .select()
    .from(assets)
    .where(and(eq(assets.releaseId, releaseId), eq(assets.state, 'ready')))

/** The missing or damaged assets of releases, by name. */
export const listUnreadyAssets = async (tx: Tx, releaseIds: readonly string[]): Promise<Pick<AssetRow, 'releaseId' | 'name'>[]> =>
  releaseIds.length === 0
    ? []
    : tx
        .select({ releaseId: assets.releaseId, name: assets.name })
        .from(assets)
        .where(and(inArray(assets.releaseId, [...releaseIds]), ne(assets.state, 'ready')))
        .orderBy(asc(assets.name))

const isDue = sql`${assets.storageKey} is not null
  and (${assets.state} = 'ready' or (${assets.state} = 'rejected' and ${assets.damagedAt} is not null))`

/** A condition: files were never checked, or a device has reported them. */
export const areAssetsUnverified = sql`exists (select from ${assets} where ${assets.verifiedAt} is null and ${isDue})`

/** Stored assets in the order of their last check; `unverified`: only those never checked, or reported by a device. */
export const listAssetsToVerify = (tx: Tx, which: 'oldest' | 'unverified', limit: number): Promise<AssetRow[]> =>
  tx
    .select()
    .from(assets)
    .where(which === 'oldest' ? isDue : and(isDue, isNull(assets.verifiedAt)))
    .orderBy(sql`${assets.verifiedAt} asc nulls first`, assets.id)
    .limit(limit)

export const countAssets = async (tx: Tx, releaseId: string): Promise<number> => {
  const [row] = await tx.select({ n: count() }).from(assets).where(eq(assets.releaseId, releaseId))
  return row?.n ?? 0
}

export const countAssetsInState = async (tx: Tx, releaseId: string, states: readonly AssetRow['state'][]): Promise<number> => {
  const same = and(eq(assets.releaseId, releaseId), inArray(assets.state, [...states]))
  const [row] = await tx.select({ n: count() }).from(assets).where(same)
  return row?.n ?? 0
}

/** How many other files of the release are being uploaded. */
export const countOthersUploading = async (tx: Tx, releaseId: string, assetId: string): Promise<number> => {
  const others = and(eq(assets.releaseId, releaseId), ne(assets.id, assetId), inArray(assets.state, ['uploading', 'verifying']))
  const [row] = await tx.select({ n: count() }).from(assets).where(others)
  return row?.n ?? 0
}

export const insertAsset = async (tx: Tx, row: typeof assets.$inferInsert): Promise<AssetRow | undefined> => {
  const [made] = await tx.insert(assets).values(row).returning()
  return made
}

/** A change that users see: it counts as a new revision. */
export const updateAsset = async (tx: Tx, id: string, set: Partial<AssetRow>, now: Date): Promise<void> => {
  await tx
    .update(assets)
    .set({ ...rowUpdate(now), ...set })
    .where(eq(assets.id, id))
}

export const countDownload = async (tx: Tx, id: string): Promise<void> => {
  await tx
    .update(assets)
    .set({ downloadCount: sql`${assets.downloadCount} + 1` })
    .where(eq(assets.id, id))
}

// The bytes that were read may have been replaced meanwhile.
const sameStored = ({ id, storageKey }: AssetRow): SQL | undefined =>
  and(eq(assets.id, id), eq(assets.state, 'ready'), eq(assets.storageKey, storageKey ?? ''))

type Verified = Partial<Pick<AssetRow, 'verifiedAt' | 'verifiedStamp' | 'sha1' | 'md5'>>

/** Stores the result of a check if the asset still has these bytes. */
export const updateVerifiedIfSame = async (tx: Tx, asset: AssetRow, set: Verified): Promise<void> => {
  await tx.update(assets).set(set).where(sameStored(asset))
}

export const updateVerified = async (tx: Tx, id: string, set: Verified): Promise<void> => {
  await tx.update(assets).set(set).where(eq(assets.id, id))
}

/** False if the asset is not ready with these bytes any more. */
export const updateAssetIfSame = async (tx: Tx, asset: AssetRow, set: Partial<AssetRow>, now: Date): Promise<boolean> => {
  const found = await tx
    .update(assets)
    .set({ ...rowUpdate(now), ...set })
    .where(sameStored(asset))
    .returning({ id: assets.id })
  return found.length > 0
}

export const updateAssetIfRejected = async (tx: Tx, id: string, set: Partial<AssetRow>, now: Date): Promise<void> => {
  await tx
    .update(assets)
    .set({ ...rowUpdate(now), ...set })
    .where(and(eq(assets.id, id), eq(assets.state, 'rejected')))
}

/** The ready assets of a release that were last verified before a time are to be verified again. */
export const clearVerified = async (tx: Tx, releaseId: string, before: Date): Promise<void> => {
  await tx
    .update(assets)
    .set({ verifiedAt: null, verifiedStamp: null })
    .where(and(eq(assets.releaseId, releaseId), eq(assets.state, 'ready'), lt(assets.verifiedAt, before)))
}

export const deleteAsset = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(assets).where(eq(assets.id, id))
}
