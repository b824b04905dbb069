import { and, desc, eq, gt, inArray, isNull, lte, notExists, notInArray, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/schema/projects'
import type { Tx } from '../../core/database/tx'
import type { ProjectScope } from '../../core/http/scope'
import { notFound } from '../../core/http/refuse'
import { assets, uploads } from '../schema/releases'
import { bundleArtifacts } from '../schema/secure-boot'
import type { Identity } from './metadata'

export type UploadRow = typeof uploads.$inferSelect

const atOnce = 1000
const shown = 200

const isOpen = (id: string) => and(eq(uploads.id, id), eq(uploads.state, 'open'))

export const findUpload = async (tx: Tx, id: string): Promise<UploadRow | undefined> => {
  const [row] = await tx.select().from(uploads).where(eq(uploads.id, id))
  return row
}

export const getUpload = async (tx: Tx, id: string): Promise<UploadRow> => (await findUpload(tx, id)) ?? notFound()

export const findUploadScope = async (tx: Tx, id: string): Promise<Pick<UploadRow, 'projectId' | 'ownerId'> | undefined> => {
  const [row] = await tx
    .select({ projectId: uploads.projectId, ownerId: uploads.ownerId })
    .from(uploads)
    .where(eq(uploads.id, id))
  return row
}

export const findOpenUploadOfTarget = async (tx: Tx, targetId: string): Promise<UploadRow | undefined> => {
  const [row] = await tx
    .select()
    .from(uploads)
    .where(and(eq(uploads.targetId, targetId), eq(uploads.state, 'open')))
  return row
}

export const lockUpload = async (tx: Tx, id: string): Promise<UploadRow | undefined> => {
  const [row] = await tx.select().from(uploads).where(eq(uploads.id, id)).for('update')
  return row
}

type Own = { ownerId: string; projectId: string | undefined; state: UploadRow['state'] | undefined }

/** The uploads of a user, newest first. */
export const listUploads = (tx: Tx, { ownerId, projectId, state }: Own): Promise<UploadRow[]> => {
  const own = and(
    eq(uploads.ownerId, ownerId),
    projectId === undefined ? undefined : eq(uploads.projectId, projectId),
    state && eq(uploads.state, state),
  )
  return tx.select().from(uploads).where(own).orderBy(desc(uploads.createdAt), desc(uploads.id)).limit(shown)
}

export const insertUpload = async (tx: Tx, row: typeof uploads.$inferInsert): Promise<void> => {
  await tx.insert(uploads).values(row)
}

export const updateUpload = async (tx: Tx, id: string, set: Partial<UploadRow>): Promise<void> => {
  await tx.update(uploads).set(set).where(eq(uploads.id, id))
}

/** False if the upload is not open any more. */
export const updateOffsetIfOpen = async (tx: Tx, id: string, offset: number): Promise<boolean> =>
  (await tx.update(uploads).set({ offset }).where(isOpen(id)).returning({ id: uploads.id })).length > 0

/** Ends an open upload; undefined if it is not open any more. */
export const endOpenUpload = async (
  tx: Tx,
  id: string,
  set: Pick<UploadRow, 'state' | 'error'>,
): Promise<UploadRow | undefined> => {
  const [row] = await tx.update(uploads).set(set).where(isOpen(id)).returning()
  return row
}

const endUploads = async (tx: Tx, target: SQL, error: string): Promise<string[]> => {
  const ended = await tx
    .update(uploads)
    .set({ state: 'failed', error })
    .where(and(eq(uploads.state, 'open'), target))
    .returning({ id: uploads.id })
  return ended.map(({ id }) => id)
}

/** Ends the open uploads of a project. Returns their ids. */
export const endOpenUploadsOfProject = (tx: Tx, projectId: string, error: string): Promise<string[]> =>
  endUploads(tx, eq(uploads.projectId, projectId), error)

/** Ends the open uploads of a person. Returns their ids. */
export const endOpenUploadsOfOwner = (tx: Tx, ownerId: string, error: string): Promise<string[]> =>
  endUploads(tx, eq(uploads.ownerId, ownerId), error)

/** Ends the open uploads of the assets of a release. Returns their ids. */
export const endOpenUploadsOfRelease = (tx: Tx, releaseId: string, error: string): Promise<string[]> =>
  endUploads(
    tx,
    inArray(uploads.targetId, tx.select({ id: assets.id }).from(assets).where(eq(assets.releaseId, releaseId))),
    error,
  )

/** Ends the open uploads of the files of a bundle. Returns their ids. */
export const endOpenUploadsOfBundle = (tx: Tx, bundleId: string, error: string): Promise<string[]> =>
  endUploads(
    tx,
    inArray(
      uploads.targetId,
      tx.select({ id: bundleArtifacts.id }).from(bundleArtifacts).where(eq(bundleArtifacts.bundleId, bundleId)),
    ),
    error,
  )

/** Ends the open uploads of a file. Returns their ids. */
export const endOpenUploadsOfTarget = (tx: Tx, targetId: string, error: string): Promise<string[]> =>
  endUploads(tx, eq(uploads.targetId, targetId), error)

/** The bytes of these ended uploads were removed. */
export const clearOffsets = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  await tx
    .update(uploads)
    .set({ offset: 0 })
    .where(and(inArray(uploads.id, [...ids]), inArray(uploads.state, ['failed', 'expired'])))
}

const isOrBecomes = (column: PgColumn, value: string | undefined) =>
  value === undefined ? undefined : or(isNull(column), eq(column, value))

/** Stores hash and fingerprint of an open upload unless others are stored; false if nothing was stored. */
export const updateIdentityIfSame = async (tx: Tx, id: string, { sha256, fingerprint }: Identity): Promise<boolean> => {
  const isSame = and(isOpen(id), isOrBecomes(uploads.sha256, sha256), isOrBecomes(uploads.fingerprint, fingerprint))
  const named = { ...(sha256 !== undefined && { sha256 }), ...(fingerprint !== undefined && { fingerprint }) }
  const [same] = await tx.update(uploads).set(named).where(isSame).returning({ id: uploads.id })
  return same !== undefined
}

export const isUploadOpen = async (tx: Tx, id: string): Promise<boolean> => {
  const [open] = await tx.select({ id: uploads.id }).from(uploads).where(isOpen(id))
  return open !== undefined
}

/** Open uploads that have expired, or whose file was deleted: these can receive nothing and only take space. */
export const listDueUploads = async (tx: Tx, now: Date): Promise<string[]> => {
  const one = { one: sql`1` }
  const asset = tx.select(one).from(assets).where(eq(assets.id, uploads.targetId))
  const artifact = tx.select(one).from(bundleArtifacts).where(eq(bundleArtifacts.id, uploads.targetId))
  const due = await tx
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(eq(uploads.state, 'open'), or(lte(uploads.expiresAt, now), and(notExists(asset), notExists(artifact)))))
    .limit(atOnce)
  return due.map(({ id }) => id)
}

export const findUploadStates = async (tx: Tx, ids: readonly string[]): Promise<Map<string, UploadRow['state']>> => {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .select({ id: uploads.id, state: uploads.state })
    .from(uploads)
    .where(inArray(uploads.id, [...ids]))
  return new Map(rows.map(({ id, state }) => [id, state]))
}

/**
 * Whether stored bytes belong to a file or to an open upload. One statement, so that an upload that ends meanwhile is seen
 * either open or as the file's. An open one may have its bytes in the storage already: its process died before it stored the
 * result, and the next call completes it.
 */
export const isKeyUsed = async (tx: Tx, key: string): Promise<boolean> => {
  const { rows } = await tx.execute<{ used: boolean }>(sql`
      select exists (select from ${assets} a where a.storage_key = ${key})
        or exists (select from ${bundleArtifacts} b where b.storage_key = ${key})
        or exists (select from ${uploads} u where u.id = ${key} and u.state in ('open', 'verifying')) as used`)
  return rows[0]?.used !== false
}

/** Ended uploads without a file whose bytes are still counted. */
export const listCountedUploads = async (tx: Tx): Promise<string[]> => {
  const one = { one: sql`1` }
  const asset = tx.select(one).from(assets).where(eq(assets.storageKey, uploads.id))
  const artifact = tx.select(one).from(bundleArtifacts).where(eq(bundleArtifacts.storageKey, uploads.id))
  const counted = await tx
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(gt(uploads.offset, 0), notInArray(uploads.state, ['open', 'verifying']), notExists(asset), notExists(artifact)))
    .limit(atOnce)
  return counted.map(({ id }) => id)
}

/**
 * Bytes of uploads that belong to no file: of files that were deleted, replaced or given up, until they are removed from the
 * disk. `offset` of an upload is 0 once its bytes are removed. A running upload is counted by its file, which has its whole
 * size.
 */
export const sumOfUnheldBytes = (ofProjects: SQL): SQL => sql`
  (select coalesce(sum(u."offset"), 0)::bigint from ${uploads} u where u."offset" > 0 and u.project_id in ${ofProjects}
    and not exists (select from ${assets} a where a.id = u.target_id and (u.state in ('open', 'verifying') or a.storage_key = u.id))
    and not exists (select from ${bundleArtifacts} b where b.id = u.target_id
      and (u.state in ('open', 'verifying') or b.storage_key = u.id)))`

/** Bytes of the files of releases and secure boot bundles, at their declared sizes. */
export const sumOfFileBytes = (ofProjects: SQL): SQL => sql`
  ((select coalesce(sum(a.size), 0)::bigint from ${assets} a where a.project_id in ${ofProjects})
    + (select coalesce(sum(b.size), 0)::bigint from ${bundleArtifacts} b where b.project_id in ${ofProjects}))`

/** Bytes stored for all projects of the owner of a project. */
export const countUsedBytes = async (
  tx: Tx,
  { organizationId, ownerId }: Pick<ProjectScope, 'organizationId' | 'ownerId'>,
): Promise<number> => {
  const owned = organizationId === null ? eq(projects.ownerId, ownerId ?? '') : eq(projects.organizationId, organizationId)
  const mine = sql`(select ${projects.id} from ${projects} where ${owned})`
  const stored = sumOfFileBytes(mine)
  const { rows } = await tx.execute<{ used: string }>(sql`select (${stored} + ${sumOfUnheldBytes(mine)})::text as used`)
  return Number(rows[0]?.used ?? 0)
}

/** Bytes that open uploads may still send. One caller at a time: two concurrent uploads must not get the same space. */
export const countReservedBytes = async (tx: Tx, now: Date): Promise<number> => {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('upload space', 3))`)
  const left = sql<number>`coalesce(sum(${uploads.size} - ${uploads.offset}), 0)::bigint`.mapWith(Number)
  const [row] = await tx
    .select({ left })
    .from(uploads)
    .where(and(eq(uploads.state, 'open'), gt(uploads.expiresAt, now)))
  return row?.left ?? 0
}

/** Whether any file was ever stored that is still named. */
export const hasStoredFiles = async (tx: Tx): Promise<boolean> => {
  const { rows } = await tx.execute<{ some: boolean }>(sql`
      select exists (select from ${assets} where ${assets.storageKey} is not null)
        or exists (select from ${bundleArtifacts} where ${bundleArtifacts.storageKey} is not null) as some`)
  return rows[0]?.some !== false
}
