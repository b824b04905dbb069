import { daysBefore } from '../../core/days'
import { lifetimes } from '../../core/lifetimes'
import type { Deps } from '../../core/deps'
import { incomingOf } from '../../core/storage/directory-incoming'
import { cancelUpload } from './cancel'
import { discardParts } from './ended'
import { findUploadStates, isKeyUsed, listCountedUploads, listDueUploads, updateUpload } from './repository'

/**
 * The id of an upload, and the temporary names that a directory makes of it. A bucket or a file system may hold files of others,
 * such as `README.txt`: they are neither removed nor a reason to stop.
 */
const ownKey = /^[0-9A-Z]{26}(\.[0-9a-f]{12}\.part|\.part\.[0-9a-f]{12})?$/

/** Runs one step; its error does not keep the others from running. Returns how many steps have succeeded: 0 or 1. */
type Attempt = (step: () => Promise<unknown>) => Promise<number>

const expire = async (deps: Deps, attempt: Attempt) => {
  const { db, clock } = deps
  const now = clock()
  const due = await listDueUploads(db, now)
  for (const id of due)
    await attempt(async () => {
      await db.transaction((tx) => cancelUpload(tx, id, 'expired', `Not finished within ${lifetimes.uploadDays} days`, now))
      await discardParts(deps, [id])
    })
  return due.length
}

/** Unfinished files without an open upload: removed at once when their upload has ended, after a day if there is none. */
const sweepParts = async (deps: Deps, attempt: Attempt) => {
  const incoming = incomingOf(deps)
  const before = daysBefore(deps.clock(), lifetimes.orphanedBytesDays)
  let removed = 0
  for await (const { key, writtenAt } of incoming.list()) {
    if (!ownKey.test(key)) continue
    const state = (await findUploadStates(deps.db, [key])).get(key)
    if (state === 'open' || state === 'verifying') continue
    if (state === undefined && writtenAt > before) continue
    removed += await attempt(() =>
      state === undefined || state === 'complete' ? incoming.remove(key) : discardParts(deps, [key]),
    )
  }
  return removed
}

/** Stored bytes without an asset: of files removed from drafts, and of deleted releases and projects. */
const sweepStored = async ({ db, clock, storage }: Deps, attempt: Attempt) => {
  if (!storage.list) return 0
  const before = daysBefore(clock(), lifetimes.orphanedBytesDays)
  let removed = 0
  for await (const { key, writtenAt } of storage.list()) {
    if (writtenAt > before || !ownKey.test(key)) continue
    if (await isKeyUsed(db, key)) continue
    removed += await attempt(async () => {
      await storage.remove(key)
      await updateUpload(db, key, { offset: 0 })
    })
  }
  return removed
}

// Bytes removed without updating the row: a process may die between the two.
const forgetMissing = async (deps: Deps) => {
  const { db, storage } = deps
  for (const id of await listCountedUploads(db)) {
    // A storage that cannot be read says nothing about its files.
    const isStored = await storage.size(id).then(
      (size) => size !== undefined,
      () => true,
    )
    if (isStored || (await incomingOf(deps).size(id)) > 0) continue
    await updateUpload(db, id, { offset: 0 })
  }
}

/** Ends uploads after 7 days and removes bytes without a row after 24 hours (F-11). */
export const sweepUploads = async (deps: Deps): Promise<{ expired: number; removed: number }> => {
  const errors: unknown[] = []
  const attempt: Attempt = (step) =>
    step().then(
      () => 1,
      (error: unknown) => {
        errors.push(error)
        return 0
      },
    )
  const expired = await expire(deps, attempt)
  const removed = (await sweepParts(deps, attempt)) + (await sweepStored(deps, attempt))
  await forgetMissing(deps)
  if (errors.length > 0) throw new AggregateError(errors, 'some files could not be removed; the next run tries it again')
  return { expired, removed }
}
