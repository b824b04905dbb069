import { and, arrayContains, count, eq, type SQL, sql } from 'drizzle-orm'
import { enrollmentTokens } from '../schema/devices'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { rowUpdate } from '../../core/database/row'
import { type ListQuery, paging, limitTotal } from '../../core/http/paging'
import type { DeleteTagUse, RenameTagUse } from '../tags/repository'

export type EnrollmentTokenRow = typeof enrollmentTokens.$inferSelect

const columns = { name: enrollmentTokens.name, created_at: enrollmentTokens.createdAt }

export const listEnrollmentTokens = async (tx: Tx, projectId: string, query: ListQuery) => {
  const page = paging(query, columns, enrollmentTokens.id, '-created_at')
  const matching = and(
    eq(enrollmentTokens.projectId, projectId),
    query.q ? containsText(enrollmentTokens.name, query.q) : undefined,
  )
  const rows = await tx
    .select()
    .from(enrollmentTokens)
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(enrollmentTokens).where(matching)
  const byName = query.sort?.endsWith('name')
  const cut = page.cut(rows, (row) => [byName ? row.name : row.createdAt.toISOString(), row.id])
  return { ...cut, total: limitTotal(total?.n ?? 0) }
}

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
