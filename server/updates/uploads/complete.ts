import { createHash } from 'node:crypto'
import type { Tx } from '../../core/database/tx'
import type { ArtifactStorage, Deps, IncomingFiles } from '../../core/deps'
import { incomingOf } from '../../core/storage/directory-incoming'
import { storedBytes } from '../../core/storage/stored-bytes'
import { discardParts } from './ended'
import type { Hashes } from './hashes'
import { findUpload, lockUpload, updateUpload, type UploadRow } from './repository'
import type { Ended, Result, Wrong } from './target'
import { targetOf } from './targets'

export type Completed = { target: Ended; wrong: Wrong | null }
type OnComplete = (tx: Tx, completed: Completed) => Promise<void>

const isReadable = (incoming: IncomingFiles): incoming is IncomingFiles & Pick<ArtifactStorage, 'read'> =>
  incoming.read !== undefined

/** What the bytes of an upload can be read from: they are in the storage already, or not yet, or only there when complete. */
const sourceOf = async (deps: Deps, { id, size }: UploadRow): Promise<Pick<ArtifactStorage, 'read'>> => {
  const incoming = incomingOf(deps)
  if ((await incoming.size(id)) !== size) return deps.storage
  if (isReadable(incoming)) return incoming
  await incoming.finish(id)
  return deps.storage
}

const digestOf = async (deps: Deps, hashes: Hashes, row: UploadRow): Promise<string> => {
  const incoming = incomingOf(deps)
  if ((await incoming.size(row.id)) === row.size) {
    const known = await hashes.upTo(row.id, { offset: row.size, size: row.size }, incoming)
    const digest = await known?.digest()
    // For the next call, if this one fails.
    if (known) hashes.keep(row.id, known, row.size)
    if (digest !== undefined) return digest
  }
  const hash = createHash('sha256')
  for await (const chunk of (await (await sourceOf(deps, row)).read(row.id)) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

const removeBytes = async (deps: Deps, id: string) => {
  await incomingOf(deps).remove(id)
  await deps.storage.remove(id)
}

const findWrong = async (deps: Deps, row: UploadRow, sha256: string): Promise<Wrong | null> => {
  if (row.sha256 !== null && row.sha256 !== sha256)
    return { code: 'hash_mismatch', text: 'The received data does not match the declared hash' }
  const { refuseBytes } = targetOf(row.purpose)
  if (!refuseBytes) return null
  const wrong = await refuseBytes(storedBytes(await sourceOf(deps, row), row.id, row.size), deps)
  // Before the result is stored: a process that dies in between leaves nothing of them.
  if (wrong) await removeBytes(deps, row.id)
  return wrong
}

const readHead = async (deps: Deps, row: UploadRow): Promise<Uint8Array> => {
  const { headBytes = 0 } = targetOf(row.purpose)
  return headBytes === 0 ? new Uint8Array() : storedBytes(await sourceOf(deps, row), row.id, row.size).read(0, headBytes)
}

const store = async (deps: Deps, { id, size }: UploadRow) => {
  const incoming = incomingOf(deps)
  if ((await incoming.size(id)) === size) await incoming.finish(id)
}

const settle = async (tx: Tx, row: UploadRow, result: Result, now: Date): Promise<Completed | undefined> => {
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
  const head = wrong === null ? await readHead(deps, before) : new Uint8Array()
  const completed = await db.transaction(async (tx) => {
    const row = await lockUpload(tx, id)
    if (row?.state !== 'open') return undefined
    // First the bytes, then the row: a process that dies in between leaves an upload that can be completed again.
    if (wrong === null) await store(deps, row)
    const done = await settle(tx, row, { sha256, head, wrong }, clock())
    if (done) await onComplete(tx, done)
    return done
  })
  hashes.forget(id)
  if (wrong === null) return completed
  await deps.storage.remove(id)
  await discardParts(deps, [id])
  return completed
}
