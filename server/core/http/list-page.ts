import { and, count, type InferSelectModel, type SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Tx } from '../database/tx'
import { limitTotal, type ListQuery, paging } from './paging'

type Listed<T> = {
  table: T
  id: PgColumn
  /** The columns that can be sorted by. None of them is null. */
  sorts: Readonly<Record<string, PgColumn>>
  /** The sort of a query without one. */
  standard: string
  matching: SQL | undefined
}

/** One page of the rows of a table, and their total. The next cursor is made of the sort key and the id as the database selects them. */
export const listPage = async <T extends PgTable>(tx: Tx, query: ListQuery, listed: Listed<T>) => {
  const { table, id, sorts, standard, matching } = listed
  const page = paging(query, sorts, id, standard)
  const found = await tx
    .select({ row: table as PgTable, key: page.column, id })
    .from(table as PgTable)
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx
    .select({ n: count() })
    .from(table as PgTable)
    .where(matching)
  const cut = page.cut(found, (row) => [row.key instanceof Date ? row.key.toISOString() : (row.key as string), String(row.id)])
  const rows = cut.rows.map(({ row }) => row as InferSelectModel<T>)
  return { rows, next_cursor: cut.next_cursor, total: limitTotal(total?.n ?? 0) }
}
