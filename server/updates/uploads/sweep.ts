import { daysBefore } from '../../core/days'
import { lifetimes } from '../../core/lifetimes'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { and, eq, gt, inArray, lte, notExists, notInArray, or, sql } from 'drizzle-orm'
import { assets, uploads } from '../schema/releases'
import type { Deps } from '../../core/deps'
import { cancelUpload } from './cancel'
import { discardParts } from './ended'
import { bytesThere, pathOf } from './files'

// A deleted file cannot receive anything: an upload for it only takes space until it expires.
const expire = async (deps: Deps) => {
  const { db, clock } = deps
  const now = clock()
  const target = db
    .select({ one: sql`1` })
    .from(assets)
    .where(eq(assets.id, uploads.targetId))
  const due = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(eq(uploads.state, 'open'), or(lte(uploads.expiresAt, now), notExists(target))))
    .limit(1000)
  for (const { id } of due) {
    await db.transaction((tx) => cancelUpload(tx, id, 'expired', `Not finished within ${lifetimes.uploadDays} days`, now))
    await discardParts(deps, [id])
  }
  return due.length
}

const statesOf = async ({ db }: Deps, ids: readonly string[]) => {
  if (ids.length === 0) return new Map<string, string>()
  const rows = await db
    .select({ id: uploads.id, state: uploads.state })
    .from(uploads)
    .where(inArray(uploads.id, [...ids]))
  return new Map(rows.map(({ id, state }) => [id, state]))
}

/**
 * Files of the uploads directory without an open upload: removed at once when their upload has ended, after a day if there is
 * none.
 */
const sweepParts = async (deps: Deps) => {
  const folder = deps.config.uploadsDirectory
  const before = daysBefore(deps.clock(), lifetimes.orphanedBytesDays)
  const names = await readdir(folder).catch(() => [])
  const idOf = (name: string) => name.replace(/\.part$/, '')
  const states = await statesOf(deps, names.map(idOf))
  let removed = 0
  for (const name of names) {
    const state = states.get(idOf(name))
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (!found?.isFile() || state === 'open' || state === 'verifying') continue
    if (state === undefined && found.mtime > before) continue
    if (state === undefined || state === 'complete') await rm(join(folder, name), { force: true })
    else await discardParts(deps, [idOf(name)])
    removed++
  }
  return removed
}

/** Stored bytes without an asset: of files removed from drafts, and of deleted releases and projects. */
const sweepStored = async ({ db, clock, storage }: Deps) => {
  if (!storage.list) return 0
  const before = daysBefore(clock(), lifetimes.orphanedBytesDays)
  let removed = 0
  for await (const { key, writtenAt } of storage.list()) {
    if (writtenAt > before) continue
    // One statement, so that an upload that ends meanwhile is seen either open or as the asset's. An open one may have its bytes
    // here already: its process died before it stored the result, and the next call completes it.
    const { rows } = await db.execute<{ used: boolean }>(sql`
      select exists (select from ${assets} a where a.storage_key = ${key})
        or exists (select from ${uploads} u where u.id = ${key} and u.state in ('open', 'verifying')) as used`)
    if (rows[0]?.used !== false) continue
    await storage.remove(key)
    await db.update(uploads).set({ offset: 0 }).where(eq(uploads.id, key))
    removed++
  }
  return removed
}

// Bytes removed without updating the row: a process may die between the two.
const forgetMissing = async ({ db, config, storage }: Deps) => {
  const holder = db
    .select({ one: sql`1` })
    .from(assets)
    .where(eq(assets.storageKey, uploads.id))
  const counted = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(gt(uploads.offset, 0), notInArray(uploads.state, ['open', 'verifying']), notExists(holder)))
    .limit(1000)
  for (const { id } of counted) {
    // A storage that cannot be read says nothing about its files.
    const isStored = await storage.size(id).then(
      (size) => size !== undefined,
      () => true,
    )
    if (isStored || (await bytesThere(pathOf(config, id))) > 0) continue
    await db.update(uploads).set({ offset: 0 }).where(eq(uploads.id, id))
  }
}

/** Ends uploads after 7 days and removes bytes without a row after 24 hours (F-11). */
export const sweepUploads = async (deps: Deps): Promise<{ expired: number; removed: number }> => {
  const expired = await expire(deps)
  const removed = (await sweepParts(deps)) + (await sweepStored(deps))
  await forgetMissing(deps)
  return { expired, removed }
}
