import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { assets, uploads } from '../schema/releases'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import type { EndUploads } from '../releases/callbacks'
import { removeFile } from './files'

/**
 * Bytes of uploads that belong to no asset: of files that were deleted, replaced or given up, until they are removed from the
 * disk. `offset` of an upload is 0 once its bytes are removed. A running upload is counted by its asset, which has its whole
 * size.
 */
export const sumOfUnheldBytes = (projects: SQL): SQL => sql`
  (select coalesce(sum(u."offset"), 0)::bigint from ${uploads} u where u."offset" > 0 and u.project_id in ${projects}
    and not exists (select from ${assets} a where a.id = u.target_id and (u.state in ('open', 'verifying') or a.storage_key = u.id)))`

/** Ends the open uploads of these files. Returns their ids: `discardParts` removes their bytes after the commit. */
const endUploads = async (tx: Tx, target: SQL, error: string): Promise<string[]> => {
  const ended = await tx
    .update(uploads)
    .set({ state: 'failed', error })
    .where(and(eq(uploads.state, 'open'), target))
    .returning({ id: uploads.id })
  return ended.map(({ id }) => id)
}

/**
 * Removes the bytes of uploads that have ended or are deleted. Bytes left by a process that dies first are removed by the
 * sweep.
 */
export const discardParts = async ({ db, config }: Pick<Deps, 'db' | 'config'>, ids: readonly string[]): Promise<void> => {
  for (const id of ids) await removeFile(config, id)
  if (ids.length > 0)
    await db
      .update(uploads)
      .set({ offset: 0 })
      .where(and(inArray(uploads.id, [...ids]), inArray(uploads.state, ['failed', 'expired'])))
}

/** Ends the open uploads of a deleted project. Returns a function that removes their bytes after the commit. */
export const endUploadsOfProject = async (tx: Tx, deps: Deps, projectId: string): Promise<() => Promise<void>> => {
  const ended = await endUploads(tx, eq(uploads.projectId, projectId), 'The project was deleted')
  return () => discardParts(deps, ended)
}

/** The same for a deleted release. */
export const endUploadsOfRelease: EndUploads = async (tx, deps, releaseId) => {
  const files = tx.select({ id: assets.id }).from(assets).where(eq(assets.releaseId, releaseId))
  const ended = await endUploads(tx, inArray(uploads.targetId, files), 'The release was deleted')
  return () => discardParts(deps, ended)
}

/** The same for a file that is removed from its release. */
export const endUploadsOfAsset: EndUploads = async (tx, deps, assetId) => {
  const ended = await endUploads(tx, eq(uploads.targetId, assetId), 'The file was removed from the release')
  return () => discardParts(deps, ended)
}
