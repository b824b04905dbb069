import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { recordSystemEvent } from '../../../accounts/audit/system'
import { assets } from '../../schema/releases'
import type { HaltRollouts } from '../callbacks'
import type { ArtifactStorage, Deps } from '../../../core/deps'
import { retryTransaction } from '../../../core/http/database-errors'
import { rowUpdate } from '../../../core/database/row'
import { refuse } from '../../../core/http/refuse'

export type AssetRow = typeof assets.$inferSelect
export type IntegrityDeps = Deps & { haltRollouts: HaltRollouts }
type Stored = Pick<AssetRow, 'storageKey' | 'size' | 'sha256'>

export const damagedText = 'The stored file differs from the uploaded one'

const hashStored = async (storage: ArtifactStorage, key: string) => {
  const hash = createHash('sha256')
  for await (const chunk of (await storage.read(key)) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

/** Reads and hashes the stored bytes. Throws if the storage cannot be read: that says nothing about the bytes. */
const hasUploadedBytes = async (storage: ArtifactStorage, { storageKey, size, sha256 }: Stored): Promise<boolean> => {
  if (storageKey === null || (await storage.size(storageKey)) !== size) return false
  return (await hashStored(storage, storageKey)) === sha256
}

/** Running checks by key, so that many simultaneous requests of a fleet cost one read. */
const running = new Map<string, Promise<boolean>>()

const sameStored = ({ id, storageKey }: AssetRow) =>
  and(eq(assets.id, id), eq(assets.state, 'ready'), eq(assets.storageKey, storageKey ?? ''))

/** Reads the bytes again in any case, and stores the time if they are correct. */
export const verifyStored = (deps: Pick<Deps, 'db' | 'storage' | 'clock'>, asset: AssetRow): Promise<boolean> => {
  const key = asset.storageKey ?? ''
  const verify = async () => {
    // Taken before the bytes are read: a write during the read changes it.
    const verifiedStamp = (await deps.storage.stamp?.(key)) ?? null
    const intact = await hasUploadedBytes(deps.storage, asset)
    if (intact) await deps.db.update(assets).set({ verifiedAt: deps.clock(), verifiedStamp }).where(sameStored(asset))
    return intact
  }
  const found = running.get(key) ?? verify().finally(() => running.delete(key))
  running.set(key, found)
  return found
}

/** 503 if the storage itself fails: nothing is known about the bytes then. File errors name the failed call. */
export const requireStorage = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return refuse(503, 'unavailable', { message: 'The storage cannot be read at this moment', retryAfterS: 30 })
  })

/**
 * Whether the stored bytes are the uploaded ones (T-16). They are read again only when the file has changed since the last
 * check.
 */
export const isIntact = async (deps: Pick<Deps, 'db' | 'storage' | 'clock'>, asset: AssetRow): Promise<boolean> => {
  const stamp = await requireStorage(Promise.resolve(deps.storage.stamp?.(asset.storageKey ?? '')))
  return (stamp !== undefined && stamp === asset.verifiedStamp) || requireStorage(verifyStored(deps, asset))
}

/** Stops delivery of these bytes and halts the rollouts that offer them. Safe to call concurrently. */
export const rejectDamagedAsset = async ({ db, clock, log, haltRollouts }: IntegrityDeps, asset: AssetRow): Promise<void> => {
  log.error({ asset: asset.id, release: asset.releaseId }, 'a stored file differs from the uploaded one')
  const now = clock()
  await retryTransaction(() =>
    db.transaction(async (tx) => {
      const facts = {
        state: 'rejected',
        rejectReason: damagedText,
        damagedAt: now,
        verifiedAt: now,
        verifiedStamp: null,
      } as const
      const found = await tx
        .update(assets)
        .set({ ...rowUpdate(now), ...facts })
        .where(sameStored(asset))
        .returning({ id: assets.id })
      if (found.length === 0) return
      await haltRollouts(tx, asset.releaseId, `${asset.name} is damaged in the storage`, now)
      const { id, name, projectId } = asset
      const target = { kind: 'asset', id, name }
      await recordSystemEvent(tx, { projectId, action: 'asset.damage', by: 'Integrity check', target, reason: damagedText }, now)
    }),
  )
}

/**
 * The bytes are correct again, for instance after an outage of the storage: the asset is valid as before. Halted rollouts wait
 * for a person.
 */
const restoreAsset = async ({ db, clock }: Deps, { id }: AssetRow): Promise<void> => {
  const now = clock()
  await db
    .update(assets)
    .set({ ...rowUpdate(now), state: 'ready', rejectReason: null, damagedAt: null, verifiedAt: now })
    .where(and(eq(assets.id, id), eq(assets.state, 'rejected')))
}

const due = sql`${assets.storageKey} is not null
  and (${assets.state} = 'ready' or (${assets.state} = 'rejected' and ${assets.damagedAt} is not null))`

const check = async (deps: IntegrityDeps, asset: AssetRow): Promise<'intact' | 'damaged' | 'unknown'> => {
  try {
    const intact = await verifyStored(deps, asset)
    if (intact && asset.damagedAt !== null) await restoreAsset(deps, asset)
    if (!intact && asset.damagedAt === null) await rejectDamagedAsset(deps, asset)
    if (!intact) await deps.db.update(assets).set({ verifiedAt: deps.clock() }).where(eq(assets.id, asset.id))
    return intact ? 'intact' : 'damaged'
  } catch (error) {
    deps.log.error({ err: error, asset: asset.id }, 'a stored file could not be read')
    return 'unknown'
  }
}

/**
 * T-16, on schedule: reads the files whose last check is oldest and rejects changed ones. `unverified` reads only files that
 * are new or that a device has reported.
 */
export const verifyAssets = async (
  deps: IntegrityDeps,
  count = 100,
  which: 'oldest' | 'unverified' = 'oldest',
): Promise<{ checked: number; damaged: string[] }> => {
  const rows = await deps.db
    .select()
    .from(assets)
    .where(which === 'oldest' ? due : and(due, sql`${assets.verifiedAt} is null`))
    .orderBy(sql`${assets.verifiedAt} asc nulls first`, assets.id)
    .limit(count)
  const damaged: string[] = []
  for (const asset of rows) if ((await check(deps, asset)) === 'damaged' && asset.damagedAt === null) damaged.push(asset.id)
  return { checked: rows.length, damaged }
}
