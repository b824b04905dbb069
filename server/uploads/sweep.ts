import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { and, eq, inArray, lte } from 'drizzle-orm'
import { assets, uploads } from '../database/schema/releases'
import type { Deps } from '../deps'
import { cancelUpload } from './cancel'
import { removeFile } from './files'

const orphanMs = 24 * 3_600_000

const expire = async ({ db, clock, config }: Deps) => {
  const now = clock()
  const due = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(eq(uploads.state, 'open'), lte(uploads.expiresAt, now)))
    .limit(1000)
  for (const { id } of due) {
    await db.transaction((tx) => cancelUpload(tx, id, 'expired', 'Not finished within 7 days', now))
    await removeFile(config, id)
  }
  return due.length
}

const openIds = async ({ db }: Deps, ids: readonly string[]) => {
  if (ids.length === 0) return new Set<string>()
  const rows = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(inArray(uploads.id, [...ids]), eq(uploads.state, 'open')))
  return new Set(rows.map(({ id }) => id))
}

/** Files of the uploads directory that no open upload names any more. */
const sweepParts = async (deps: Deps) => {
  const folder = deps.config.uploadsDirectory
  const before = deps.clock().getTime() - orphanMs
  const names = await readdir(folder).catch(() => [])
  const open = await openIds(
    deps,
    names.map((name) => name.replace(/\.part$/, '')),
  )
  let removed = 0
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (!found?.isFile() || found.mtimeMs > before || open.has(name.replace(/\.part$/, ''))) continue
    await rm(join(folder, name), { force: true })
    removed++
  }
  return removed
}

/** Stored bytes that no asset names any more: of files taken out of drafts, and of deleted releases and projects. */
const sweepStored = async ({ db, clock, storage }: Deps) => {
  if (!storage.list) return 0
  const before = clock().getTime() - orphanMs
  let removed = 0
  for await (const { key, writtenAt } of storage.list()) {
    if (writtenAt.getTime() > before) continue
    const [used] = await db.select({ id: assets.id }).from(assets).where(eq(assets.storageKey, key)).limit(1)
    if (used) continue
    await storage.remove(key).catch(() => {})
    removed++
  }
  return removed
}

/** Ends uploads after 7 days and removes bytes without a row after 24 hours (F-11). */
export const sweepUploads = async (deps: Deps): Promise<{ expired: number; removed: number }> => ({
  expired: await expire(deps),
  removed: (await sweepParts(deps)) + (await sweepStored(deps)),
})
