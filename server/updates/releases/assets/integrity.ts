import { createHash } from 'node:crypto'
import { recordSystemEvent } from '../../../accounts/audit/system'
import type { HaltRollouts } from '../callbacks'
import type { ArtifactStorage, Deps } from '../../../core/deps'
import { transact } from '../../../core/http/database-errors'
import { refuse } from '../../../core/http/refuse'
import { StorageError } from '../../../core/storage/storage-error'
import {
  type AssetRow,
  listAssetsToVerify,
  updateAssetIfRejected,
  updateAssetIfSame,
  updateVerified,
  updateVerifiedIfSame,
} from './repository'

export type IntegrityDeps = Deps & { haltRollouts: HaltRollouts }
type Stored = Pick<AssetRow, 'kind' | 'storageKey' | 'size' | 'sha256' | 'sha1'>

export const damagedText = 'The stored file differs from the uploaded one'

const clientHashes = ['sha1', 'md5'] as const
type ClientHashes = Record<(typeof clientHashes)[number], string>

const hashStored = async <N extends string>(
  storage: ArtifactStorage,
  key: string,
  names: readonly N[],
): Promise<Record<N, string>> => {
  const hashes = names.map((name) => [name, createHash(name)] as const)
  for await (const chunk of (await storage.read(key)) as AsyncIterable<Buffer>) for (const [, hash] of hashes) hash.update(chunk)
  // The names are all of N.
  return Object.fromEntries(hashes.map(([name, hash]) => [name, hash.digest('hex')])) as Record<N, string>
}

/**
 * Reads and hashes the stored bytes; null if they are not the uploaded ones. Throws if the storage cannot be read: that says
 * nothing about the bytes.
 */
const hashUploaded = async (storage: ArtifactStorage, asset: Stored): Promise<Partial<ClientHashes> | null> => {
  const { storageKey, size } = asset
  if (storageKey === null || (await storage.size(storageKey)) !== size) return null
  const wanted = asset.kind === 'bundle' && asset.sha1 === null ? clientHashes : []
  const { sha256, ...others } = await hashStored(storage, storageKey, ['sha256', ...wanted])
  return sha256 === asset.sha256 ? others : null
}

/** Running checks by key, so that many simultaneous requests of a fleet cost one read. */
const running = new Map<string, Promise<boolean>>()

/** Reads the bytes again in any case, and stores the time if they are correct. */
const verifyStored = (deps: Pick<Deps, 'db' | 'storage' | 'clock'>, asset: AssetRow): Promise<boolean> => {
  const key = asset.storageKey ?? ''
  const verify = async () => {
    // Taken before the bytes are read: a write during the read changes it.
    const verifiedStamp = (await deps.storage.stamp?.(key)) ?? null
    const found = await hashUploaded(deps.storage, asset)
    if (found) await updateVerifiedIfSame(deps.db, asset, { verifiedAt: deps.clock(), verifiedStamp, ...found })
    return found !== null
  }
  const found = running.get(key) ?? verify().finally(() => running.delete(key))
  running.set(key, found)
  return found
}

/** 503 if the storage itself fails: nothing is known about the bytes then. Errors of files and connections name the failed call. */
export const requireStorage = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof StorageError || (error instanceof Error && 'syscall' in error))) throw error
    return refuse(503, 'unavailable', { message: 'The storage cannot be read at this moment', retryAfterS: 30 })
  })

const hashing = new Map<string, Promise<ClientHashes>>()

/** The hashes that hawkBit clients compare. Those of a bundle are stored soon after its upload, others at their first use. */
export const clientHashesOf = async ({ db, storage }: Pick<Deps, 'db' | 'storage'>, asset: AssetRow): Promise<ClientHashes> => {
  const { sha1, md5 } = asset
  if (sha1 !== null && md5 !== null) return { sha1, md5 }
  const key = asset.storageKey ?? ''
  const read = async () => {
    const found = await requireStorage(hashStored(storage, key, clientHashes))
    await updateVerifiedIfSame(db, asset, found)
    return found
  }
  const running = hashing.get(key) ?? read().finally(() => hashing.delete(key))
  hashing.set(key, running)
  return running
}

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
  await transact(db, async (tx) => {
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
  })
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
