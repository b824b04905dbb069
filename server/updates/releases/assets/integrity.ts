import { createHash } from 'node:crypto'
import { recordSystemEvent } from '../../../accounts/audit/system'
import type { HaltRollouts } from '../callbacks'
import type { ArtifactStorage, Deps } from '../../../core/deps'
import { retryTransaction } from '../../../core/http/database-errors'
import { refuse } from '../../../core/http/refuse'
import {
  type AssetRow,
  listAssetsToVerify,
  updateAssetIfRejected,
  updateAssetIfSame,
  updateVerified,
  updateVerifiedIfSame,
} from './repository'

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

/** Reads the bytes again in any case, and stores the time if they are correct. */
const verifyStored = (deps: Pick<Deps, 'db' | 'storage' | 'clock'>, asset: AssetRow): Promise<boolean> => {
  const key = asset.storageKey ?? ''
  const verify = async () => {
    // Taken before the bytes are read: a write during the read changes it.
    const verifiedStamp = (await deps.storage.stamp?.(key)) ?? null
    const intact = await hasUploadedBytes(deps.storage, asset)
    if (intact) await updateVerifiedIfSame(deps.db, asset, { verifiedAt: deps.clock(), verifiedStamp })
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
      if (!(await updateAssetIfSame(tx, asset, facts, now))) return
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
  await updateAssetIfRejected(db, id, { state: 'ready', rejectReason: null, damagedAt: null, verifiedAt: now }, now)
}

const check = async (deps: IntegrityDeps, asset: AssetRow): Promise<'intact' | 'damaged' | 'unknown'> => {
  try {
    const intact = await verifyStored(deps, asset)
    if (intact && asset.damagedAt !== null) await restoreAsset(deps, asset)
    if (!intact && asset.damagedAt === null) await rejectDamagedAsset(deps, asset)
    if (!intact) await updateVerified(deps.db, asset.id, { verifiedAt: deps.clock() })
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
  const rows = await listAssetsToVerify(deps.db, which, count)
  const damaged: string[] = []
  for (const asset of rows) if ((await check(deps, asset)) === 'damaged' && asset.damagedAt === null) damaged.push(asset.id)
  return { checked: rows.length, damaged }
}
