import { and, arrayContains, eq, type SQL, sql } from 'drizzle-orm'
import { enrollmentTokens } from '../schema/devices'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { rowUpdate } from '../../core/database/row'
import { listPage } from '../../core/http/list-page'
import type { ListQuery } from '../../core/http/paging'
import type { DeleteTagUse, RenameTagUse } from '../tags/repository'

export type EnrollmentTokenRow = typeof enrollmentTokens.$inferSelect

export const listEnrollmentTokens = (tx: Tx, projectId: string, query: ListQuery) =>
  listPage(tx, query, {
    table: enrollmentTokens,
    id: enrollmentTokens.id,
    sorts: { name: enrollmentTokens.name, created_at: enrollmentTokens.createdAt },
    standard: '-created_at',
    matching: and(eq(enrollmentTokens.projectId, projectId), query.q ? containsText(enrollmentTokens.name, query.q) : undefined),
  })

export const findEnrollmentTokenProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [token] = await tx
    .select({ projectId: enrollmentTokens.projectId })
    .from(enrollmentTokens)
    .where(eq(enrollmentTokens.id, id))
  return token
}

export const findEnrollmentTokenById = async (tx: Tx, id: string): Promise<EnrollmentTokenRow | undefined> => {
  const [row] = await tx.select().from(enrollmentTokens).where(eq(enrollmentTokens.id, id))
  return row
}

export const lockEnrollmentToken = async (tx: Tx, id: string): Promise<EnrollmentTokenRow | undefined> => {
  const [row] = await tx.select().from(enrollmentTokens).where(eq(enrollmentTokens.id, id)).for('update')
  return row
}

export const insertEnrollmentToken = async (tx: Tx, row: EnrollmentTokenRow): Promise<void> => {
  await tx.insert(enrollmentTokens).values(row)
}

export const updateEnrollmentToken = async (
  tx: Tx,
  id: string,
  changes: Partial<Pick<EnrollmentTokenRow, 'uses' | 'revokedAt'>>,
  now: Date,
): Promise<void> => {
  await tx
    .update(enrollmentTokens)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(enrollmentTokens.id, id))
}

/** That of `stateOf`: devices can enroll with the token. */
export const isActiveToken = (now: Date): SQL => sql`${enrollmentTokens.revokedAt} is null
  and (${enrollmentTokens.expiresAt} is null or ${enrollmentTokens.expiresAt} > ${now.toISOString()}::timestamptz)
  and (${enrollmentTokens.maxUses} is null or ${enrollmentTokens.uses} < ${enrollmentTokens.maxUses})`

const withDefaultTag = (projectId: string, name: string) =>
  and(eq(enrollmentTokens.projectId, projectId), arrayContains(enrollmentTokens.defaultTags, [name]))

const updateDefaultTags = async (tx: Tx, where: SQL | undefined, defaultTags: SQL, now: Date): Promise<void> => {
  await tx
    .update(enrollmentTokens)
    .set({ defaultTags, ...rowUpdate(now) })
    .where(where)
}

/** Devices that enroll later get the tag by its new name. */
export const renameDefaultTag: RenameTagUse = (tx, { projectId, from, to }, now) =>
  updateDefaultTags(tx, withDefaultTag(projectId, from), sql`array_replace(${enrollmentTokens.defaultTags}, ${from}, ${to})`, now)

/** A later tag of the same name is another one. */
export const removeDefaultTag: DeleteTagUse = (tx, { projectId, name }, now) =>
  updateDefaultTags(tx, withDefaultTag(projectId, name), sql`array_remove(${enrollmentTokens.defaultTags}, ${name})`, now)
