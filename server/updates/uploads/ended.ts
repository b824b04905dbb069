import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { assets, uploads } from '../schema/releases'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { removeFile } from './files'

/**
 * Bytes of uploads that no asset counts: of files that were deleted, replaced or given up, for as long as they lie on the disk.
 * `offset` of an upload is 0 once its bytes are removed. An upload on its way is counted by its asset, which has its whole size.
 */
export const sumOfUnheldBytes = (projects: SQL): SQL => sql`
  (select coalesce(sum(u."offset"), 0)::bigint from ${uploads} u where u."offset" > 0 and u.project_id in ${projects}
    and not exists (select from ${assets} a where a.id = u.target_id and (u.state in ('open', 'verifying') or a.storage_key = u.id)))`

/** Ends the open uploads of these files. Answers their ids: their bytes go once this is committed, see `discardParts`. */
export const endUploadsOf = async (tx: Tx, target: SQL, error: string): Promise<string[]> => {
  const ended = await tx
    .update(uploads)
    .set({ state: 'failed', error })
    .where(and(eq(uploads.state, 'open'), target))
    .returning({ id: uploads.id })
  return ended.map(({ id }) => id)
}

/** Removes what arrived of uploads that have ended or are deleted. What a process leaves behind that dies before is swept. */
export const discardParts = async ({ db, config }: Pick<Deps, 'db' | 'config'>, ids: readonly string[]): Promise<void> => {
  for (const id of ids) await removeFile(config, id)
  if (ids.length > 0)
    await db
      .update(uploads)
      .set({ offset: 0 })
      .where(and(inArray(uploads.id, [...ids]), inArray(uploads.state, ['failed', 'expired'])))
}

/** Ends the open uploads of a project that is deleted. Answers what removes their bytes once that is committed. */
export const endUploadsOfProject = async (tx: Tx, deps: Deps, projectId: string): Promise<() => Promise<void>> => {
  const ended = await endUploadsOf(tx, eq(uploads.projectId, projectId), 'The project was deleted')
  return () => discardParts(deps, ended)
}
