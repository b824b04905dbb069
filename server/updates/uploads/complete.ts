import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { isEditable, transitionRelease } from '../releases/transitions'
import { type ReleaseRow } from '../releases/repository'
import type { AssetRow } from '../releases/assets/repository'
import { countOthersUploading, updateAsset } from '../releases/assets/repository'
import { openTarget } from './cancel'
import { discardParts } from './ended'
import { bytesThere, pathOf, removeFile } from './files'
import type { Hashes } from './hashes'
import { findUpload, lockUpload, updateUpload, type UploadRow } from './repository'

export type Completed = { asset: Pick<AssetRow, 'id' | 'name'>; wrong: string | null }
type OnComplete = (tx: Tx, completed: Completed) => Promise<void>

const digestOf = async ({ config, storage }: Deps, hashes: Hashes, row: UploadRow): Promise<string> => {
  const path = pathOf(config, row.id)
  if ((await bytesThere(path)) === row.size) return (await hashes.upTo(row.id, path, row.size)).digest('hex')
  // The bytes were moved to the storage by a process that died before it stored the result.
  const hash = createHash('sha256')
  for await (const chunk of (await storage.read(row.id)) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

const store = async ({ config, storage }: Deps, row: UploadRow) => {
  const path = pathOf(config, row.id)
  if ((await bytesThere(path)) !== row.size) return
  if (storage.adopt) return storage.adopt(row.id, path)
  await storage.write(row.id, createReadStream(path))
  await removeFile(config, row.id)
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

const settle = async (
  tx: Tx,
  row: UploadRow,
  sha256: string,
  wrong: string | null,
  now: Date,
): Promise<Completed | undefined> => {
  const target = await openTarget(tx, row.targetId)
  const state = wrong === null ? 'complete' : 'failed'
  await updateUpload(tx, row.id, { state, offset: row.size, error: wrong })
  if (!target) return undefined
  const { asset, release } = target
  // The integrity job reads the stored bytes and records that.
  const verified = { damagedAt: null, verifiedAt: null, verifiedStamp: null, sha1: null, md5: null }
  const ready = { state: 'ready', sha256, storageKey: row.id, rejectReason: null, ...verified } as const
  const facts = wrong === null ? ready : ({ state: 'rejected', rejectReason: wrong } as const)
  await updateAsset(tx, asset.id, { contentType: row.contentType, ...facts }, now)
  await moveOn(tx, release, asset.id, wrong, now)
  return { asset, wrong }
}

/**
 * Completes an upload after its last byte: compares its hash with the announced one and stores its bytes as the asset's. Safe
 * to call again, by any process, after one that was killed at any point.
 */
export const completeUpload = async (
  deps: Deps,
  hashes: Hashes,
  id: string,
  onComplete: OnComplete,
): Promise<Completed | undefined> => {
  const { db, clock } = deps
  const before = await findUpload(db, id)
  if (before?.state !== 'open') return undefined
  const sha256 = await digestOf(deps, hashes, before)
  const wrong = before.sha256 !== null && before.sha256 !== sha256 ? 'The received data does not match the declared hash' : null
  const completed = await db.transaction(async (tx) => {
    const row = await lockUpload(tx, id)
    if (row?.state !== 'open') return undefined
    // First the bytes, then the row: a process that dies in between leaves an upload that can be completed again.
    if (wrong === null) await store(deps, row)
    const done = await settle(tx, row, sha256, wrong, clock())
    if (done) await onComplete(tx, done)
    return done
  })
  hashes.forget(id)
  if (wrong !== null) await discardParts(deps, [id])
  return completed
}
