import { and, count, eq, ilike, type SQL } from 'drizzle-orm'
import type { Infer } from 'superstruct'
import type { NewTag, Tag } from '../../../contract/tags'
import { tags } from '../schema/tags'
import type { Tx } from '../../core/database/tx'
import { newRow } from '../../core/database/row'
import { containing, type ListQuery, paging, toldTotal } from '../../core/http/paging'
import { notFound } from '../../core/http/refuse'
import { entityToJson } from '../../core/timestamps'

type TagRow = typeof tags.$inferSelect
export type TagUsage = { devices: number; rollouts: number }
/** Counts the use of each tag by its id. Passed in, because rollouts belong to a higher domain. */
export type CountTagUsage = (tx: Tx, tagIds: readonly string[]) => Promise<Map<string, TagUsage>>

const tagToJson = (row: TagRow, usage: TagUsage | undefined): Tag => ({
  ...entityToJson(row),
  name: row.name,
  colour: row.colour,
  description: row.description,
  device_count: usage?.devices ?? 0,
  used_by_rollouts: usage?.rollouts ?? 0,
})

const withUsage = async (tx: Tx, rows: TagRow[], countUsage: CountTagUsage): Promise<Tag[]> => {
  const ids = rows.map(({ id }) => id)
  const usage = await countUsage(tx, ids)
  return rows.map((row) => tagToJson(row, usage.get(row.id)))
}

const columns = { name: tags.name, created_at: tags.createdAt }

export const listTags = async (tx: Tx, projectId: string, query: ListQuery, countUsage: CountTagUsage) => {
  const page = paging(query, columns, tags.id, 'name')
  const matching = and(eq(tags.projectId, projectId), query.q ? ilike(tags.name, containing(query.q)) : undefined)
  const rows = await tx
    .select()
    .from(tags)
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(tags).where(matching)
  const byTime = query.sort?.endsWith('created_at')
  const cut = page.cut(rows, (row) => [byTime ? row.createdAt.toISOString() : row.name, row.id])
  return { tags: await withUsage(tx, cut.rows, countUsage), next_cursor: cut.next_cursor, total: toldTotal(total?.n ?? 0) }
}

/** One tag as JSON. `lock` for changes. */
export const tagById = async (tx: Tx, id: string, countUsage: CountTagUsage, lock = false): Promise<Tag> => {
  const where: SQL = eq(tags.id, id)
  const query = tx.select().from(tags).where(where)
  const [tag] = await withUsage(tx, await (lock ? query.for('update') : query), countUsage)
  return tag ?? notFound()
}

export const insertTag = async (
  tx: Tx,
  projectId: string,
  { name, colour, description = '' }: Infer<typeof NewTag>,
  now: Date,
) => {
  const row = { ...newRow(now), projectId, name, colour, description }
  await tx.insert(tags).values(row)
  return row.id
}
