import { type AnyColumn, asc, desc, type SQL, sql } from 'drizzle-orm'
import { is, nullable, number, string, tuple, union } from 'superstruct'
import { exactTotal, listLimit } from '../../contract/limits'
import { refuseField } from './refuse'

export type ListQuery = { limit?: number; cursor?: string; sort?: string; q?: string }
type Key = string | number | null
type Column = AnyColumn | SQL

export type Paging = {
  /** Add to the conditions of the query. */
  after: SQL | undefined
  order: SQL[]
  /** One more than the page, to know whether there is another. */
  take: number
  cut: <R>(rows: R[], keyOf: (row: R) => [Key, string]) => { rows: R[]; next_cursor: string | null }
}

const Cursor = tuple([nullable(union([string(), number()])), string()])

const encode = (key: [Key, string]) => Buffer.from(JSON.stringify(key)).toString('base64url')

const decode = (cursor: string): [Key, string] => {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (is(value, Cursor)) return value
  } catch {
    // Falls through to the refusal.
  }
  return refuseField('cursor', 'cursor', 'The cursor is not one of this list')
}

/**
 * Keyset pages (product.md 4.1): the order always ends with the id, so that no row is skipped or repeated. `columns` are what
 * may be sorted by; a sort starts with `-` for descending. Sort expressions must not be null: coalesce them.
 */
export const paging = (query: ListQuery, columns: Record<string, Column>, id: Column, standard: string): Paging => {
  const sort = query.sort ?? standard
  const down = sort.startsWith('-')
  const column = columns[sort.replace(/^-/, '')]
  if (column === undefined) return refuseField('sort', 'sort', `Sort by one of ${Object.keys(columns).join(', ')}`)
  const take = (query.limit ?? listLimit.default) + 1
  const after = () => {
    if (query.cursor === undefined) return undefined
    const [key, last] = decode(query.cursor)
    return down ? sql`(${column}, ${id}) < (${key}, ${last})` : sql`(${column}, ${id}) > (${key}, ${last})`
  }
  return {
    after: after(),
    order: down ? [desc(column), desc(id)] : [asc(column), asc(id)],
    take,
    cut: (rows, keyOf) => {
      const page = rows.slice(0, take - 1)
      const last = page.at(-1)
      return { rows: page, next_cursor: rows.length === take && last !== undefined ? encode(keyOf(last)) : null }
    },
  }
}

/** A total is told up to 1,000, and not counted beyond: wrap what is counted in `select 1 … limit 1001`. */
export const toldTotal = (counted: number): number | null => (counted > exactTotal ? null : counted)

/** Free text inside `ilike`, taken as itself. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
