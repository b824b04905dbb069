import { and, eq, inArray } from 'drizzle-orm'
import type { Infer } from 'superstruct'
import type { BodyOf } from '../../../contract/core/endpoint'
import type { NewTag, updateTag as updateEndpoint } from '../../../contract/fleet/tags'
import { tags } from '../schema/tags'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { newRow, rowUpdate } from '../../core/database/row'
import { listPage } from '../../core/http/list-page'
import type { ListQuery } from '../../core/http/paging'
import { notFound } from '../../core/http/refuse'

export type TagRow = typeof tags.$inferSelect
export type TagUsage = { devices: number; rollouts: number; enrollmentTokens: number }
/** Counts the use of each tag by its id. Passed in, because rollouts belong to a higher domain. */
export type CountTagUsage = (tx: Tx, tagIds: readonly string[], now: Date) => Promise<Map<string, TagUsage>>
/** Renames a tag where it is stored by its name. Passed in by those who store it so. */
export type RenameTagUse = (tx: Tx, renamed: { projectId: string; from: string; to: string }, now: Date) => Promise<void>
/** Called before a tag is deleted. Passed in by those who store it by its name. */
export type DeleteTagUse = (tx: Tx, deleted: { projectId: string; name: string }, now: Date) => Promise<void>

export const listTags = (tx: Tx, projectId: string, query: ListQuery) =>
  listPage(tx, query, {
    table: tags,
    id: tags.id,
    sorts: { name: tags.name, created_at: tags.createdAt },
    standard: 'name',
    matching: and(eq(tags.projectId, projectId), query.q ? containsText(tags.name, query.q) : undefined),
  })

export const listTagsByName = async (tx: Tx, projectId: string, names: readonly string[]): Promise<TagRow[]> =>
  names.length === 0
    ? []
    : tx
        .select()
        .from(tags)
        .where(and(eq(tags.projectId, projectId), inArray(tags.name, [...names])))

export const findTagProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [tag] = await tx.select({ projectId: tags.projectId }).from(tags).where(eq(tags.id, id))
  return tag
}

export const getTag = async (tx: Tx, id: string): Promise<TagRow> => {
  const [row] = await tx.select().from(tags).where(eq(tags.id, id))
  return row ?? notFound()
}

export const lockTag = async (tx: Tx, id: string): Promise<TagRow> => {
  const [row] = await tx.select().from(tags).where(eq(tags.id, id)).for('update')
  return row ?? notFound()
}

export const insertTag = async (
  tx: Tx,
  projectId: string,
  { name, colour, description = '' }: Infer<typeof NewTag>,
  now: Date,
): Promise<string> => {
  const row = { ...newRow(now), projectId, name, colour, description }
  await tx.insert(tags).values(row)
  return row.id
}

export const updateTag = async (tx: Tx, id: string, changes: BodyOf<typeof updateEndpoint>, now: Date): Promise<void> => {
  await tx
    .update(tags)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(tags.id, id))
}

export const deleteTag = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(tags).where(eq(tags.id, id))
}
