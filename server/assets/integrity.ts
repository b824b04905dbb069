import { createHash } from 'node:crypto'
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import { assets } from '../database/schema/releases'
import type { Tx } from '../database/tx'
import { stopRolloutsOf } from '../delivery/stop-rollouts'
import type { ArtifactStorage, Deps } from '../deps'
import { changed } from '../http/entity'

export type AssetRow = typeof assets.$inferSelect
type Stored = Pick<AssetRow, 'storageKey' | 'size' | 'sha256'>

const most = 10_000
// Which bytes this process has hashed already. A hint only: another process hashes them once more.
const seen = new Map<string, string>()

const remember = (key: string, stamp: string) => {
  if (seen.size >= most) seen.delete(seen.keys().next().value ?? '')
  seen.set(key, stamp)
}

const hashOf = async (storage: ArtifactStorage, key: string) => {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of (await storage.read(key)) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    size += chunk.length
  }
  return { size, sha256: hash.digest('hex') }
}

const equals = async (storage: ArtifactStorage, { storageKey, size, sha256 }: Stored): Promise<boolean> => {
  if (storageKey === null) return false
  const found = await hashOf(storage, storageKey).catch(() => undefined)
  return found?.size === size && found.sha256 === sha256
}

/** Whether the stored bytes are what was uploaded (T-16). They are read again only when they were written since. */
export const isIntact = async (storage: ArtifactStorage, asset: Stored): Promise<boolean> => {
  const key = asset.storageKey ?? ''
  const stamp = await storage.stamp?.(key)
  if (stamp !== undefined && seen.get(key) === stamp) return true
  const intact = await equals(storage, asset)
  if (intact && stamp !== undefined) remember(key, stamp)
  return intact
}

/** Nobody gets these bytes any more, and what was offering them stops. */
export const condemn = async (tx: Tx, asset: AssetRow, now: Date): Promise<void> => {
  const rejectReason = 'The stored bytes are not what was uploaded'
  await tx
    .update(assets)
    .set({ ...changed(now), state: 'rejected', rejectReason })
    .where(eq(assets.id, asset.id))
  await stopRolloutsOf(tx, [asset.releaseId], { reason: `${asset.name} is damaged in the storage`, by: null, now })
}

/** T-16, on schedule: reads the assets whose last check is oldest and condemns what has changed. */
export const verifyAssets = async (
  { db, storage, clock, log }: Deps,
  count = 100,
): Promise<{ checked: number; damaged: string[] }> => {
  const rows = await db
    .select()
    .from(assets)
    .where(and(eq(assets.state, 'ready'), isNotNull(assets.storageKey)))
    .orderBy(asc(sql`coalesce(${assets.verifiedAt}, 'epoch'::timestamptz)`), asc(assets.id))
    .limit(count)
  const damaged: string[] = []
  for (const asset of rows) {
    const now = clock()
    if (await equals(storage, asset)) {
      await db.update(assets).set({ verifiedAt: now }).where(eq(assets.id, asset.id))
      continue
    }
    damaged.push(asset.id)
    seen.delete(asset.storageKey ?? '')
    log.error({ asset: asset.id }, 'stored bytes are not what was uploaded')
    await db.transaction((tx) => condemn(tx, asset, now))
  }
  return { checked: rows.length, damaged }
}
