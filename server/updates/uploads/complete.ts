import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { withFileBytes } from '../secure-boot/byte-reader'
import { discardParts } from './ended'
import { bytesThere, pathOf, removeFile } from './files'
import type { Hashes } from './hashes'
import { findUpload, lockUpload, updateUpload, type UploadRow } from './repository'
import type { Ended, Wrong } from './target'
import { targetOf } from './targets'

export type Completed = { target: Ended; wrong: Wrong | null }
type OnComplete = (tx: Tx, completed: Completed) => Promise<void>

const digestOf = async ({ config, storage }: Deps, hashes: Hashes, row: UploadRow): Promise<string> => {
  const path = pathOf(config, row.id)
  if ((await bytesThere(path)) === row.size) return (await hashes.upTo(row.id, path, row.size)).digest('hex')
  // The bytes were moved to the storage by a process that died before it stored the result.
  const hash = createHash('sha256')
  for await (const chunk of (await storage.read(row.id)) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

const findWrong = async (deps: Deps, row: UploadRow, sha256: string): Promise<Wrong | null> => {
  if (row.sha256 !== null && row.sha256 !== sha256)
    return { code: 'hash_mismatch', text: 'The received data does not match the declared hash' }
  const { refuseBytes } = targetOf(row.purpose)
  const path = pathOf(deps.config, row.id)
  // Bytes that are in the storage already were read before they were moved there.
  if (!refuseBytes || (await bytesThere(path)) !== row.size) return null
  const wrong = await withFileBytes(path, row.size, refuseBytes)
  // Before the result is stored: a process that dies in between leaves nothing of them.
  if (wrong) await removeFile(deps.config, row.id)
  return wrong
}

const store = async ({ config, storage }: Deps, row: UploadRow) => {
  const path = pathOf(config, row.id)
  if ((await bytesThere(path)) !== row.size) return
  if (storage.adopt) return storage.adopt(row.id, path)
  await storage.write(row.id, createReadStream(path))
  await removeFile(config, row.id)
}

const settle = async (
  tx: Tx,
  row: UploadRow,
  result: { sha256: string; wrong: Wrong | null },
  now: Date,
): Promise<Completed | undefined> => {
  const { wrong } = result
  const state = wrong === null ? 'complete' : 'failed'
  await updateUpload(tx, row.id, { state, offset: row.size, error: wrong?.text ?? null })
  const target = await targetOf(row.purpose).end(tx, row, result, now)
  return target && { target, wrong }
}

/**
 * Completes an upload after its last byte: compares its hash with the announced one and stores its bytes for the target. Safe
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
  const wrong = await findWrong(deps, before, sha256)
  const completed = await db.transaction(async (tx) => {
    const row = await lockUpload(tx, id)
    if (row?.state !== 'open') return undefined
    // First the bytes, then the row: a process that dies in between leaves an upload that can be completed again.
    if (wrong === null) await store(deps, row)
    const done = await settle(tx, row, { sha256, wrong }, clock())
    if (done) await onComplete(tx, done)
    return done
  })
  hashes.forget(id)
  if (wrong !== null) await discardParts(deps, [id])
  return completed
}
