import { type AnyColumn, asc, desc, type SQL, sql } from 'drizzle-orm'
import { is, nullable, number, string, tuple, union } from 'superstruct'
import { exactTotal, listLimit } from '../../../contract/core/limits'
import { isRealTime } from '../../../contract/core/real-time'
import { findUnstorable } from '../../../contract/core/rules'
import { refuseField } from './refuse'

export type ListQuery = { limit?: number; cursor?: string; sort?: string; q?: string }
type Key = string | number | null
type Column = AnyColumn | SQL

export type Paging<C extends Column = Column> = {
  /** The sort key and id of the row after which the page begins. */
  position: [Key, string] | undefined
  /** Add this to the conditions of the query. */
  after: SQL | undefined
  order: SQL[]
  /** What the rows are sorted by. */
  column: C
  /** One more than the page size, to know whether there is another page. */
  take: number
  cut: <R>(rows: R[], keyOf: (row: R) => [Key, string]) => { rows: R[]; next_cursor: string | null }
}

const Cursor = tuple([nullable(union([string(), number()])), string()])

const encode = (key: [Key, string]) => Buffer.from(JSON.stringify(key)).toString('base64url')

const decode = (cursor: string): [Key, string] | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (is(value, Cursor)) return value
  } catch {
    // Continues to the refusal below.
  }
  return undefined
}

/**
 * The database type of a sort key. A column has its own; an expression is text unless the list says otherwise. `lower`: the text of
 * the row, in lower case as the database makes it, which may leave letters that this process would change.
 */
export type KeyKind = 'text' | 'lower' | 'integer' | 'bigint' | 'time'

const kindOf = (column: Column): KeyKind => {
  if (!('getSQLType' in column)) return 'text'
  const type = column.getSQLType()
  if (type.startsWith('timestamp')) return 'time'
  return type === 'integer' || type === 'bigint' ? type : 'text'
}

const isWhole = (key: Key, most: number) => /^-?\d{1,16}$/.test(String(key)) && Math.abs(Number(key)) <= most
const fits: Record<KeyKind, (key: Key) => boolean> = {
  text: (key) => typeof key === 'string' && findUnstorable(key) === undefined,
  lower: (key) => fits.text(key),
  integer: (key) => isWhole(key, 2_147_483_647),
  bigint: (key) => isWhole(key, Number.MAX_SAFE_INTEGER),
  time: (key) => typeof key === 'string' && isRealTime(key),
}

/** The row after which a page begins. A forged cursor, or one of another sort, is refused before any query. */
const positionOf = (cursor: string, kind: KeyKind): [Key, string] => {
  const position = decode(cursor)
  return position && fits[kind](position[0]) && fits.text(position[1])
    ? position
    : refuseField('cursor', 'cursor', 'The cursor does not belong to this list')
}

/**
 * Keyset pages: the order always ends with the id, so that no row is skipped or repeated. `columns` are the sortable columns; a
 * sort starts with `-` for descending. Sort expressions must not be null (coalesce them); `kinds` gives the types of those that
 * are not text.
 */
export const paging = <C extends Column>(
  query: ListQuery,
  columns: Readonly<Record<string, C>>,
  id: Column,
  standard: string,
  kinds: Readonly<Record<string, KeyKind>> = {},
): Paging<C> => {
  const sort = query.sort ?? standard
  const down = sort.startsWith('-')
  const name = sort.replace(/^-/, '')
  // Own properties only: `__proto__` is no column.
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined
  if (column === undefined) return refuseField('sort', 'sort', `Sort by one of ${Object.keys(columns).join(', ')}`)
  const take = (query.limit ?? listLimit.default) + 1
  const kind = kinds[name] ?? kindOf(column)
  const position = query.cursor === undefined ? undefined : positionOf(query.cursor, kind)
  const after = () => {
    if (position === undefined) return undefined
    const [found, last] = position
    const key = kind === 'lower' ? sql`lower(${found})` : sql`${found}`
    return down ? sql`(${column}, ${id}) < (${key}, ${last})` : sql`(${column}, ${id}) > (${key}, ${last})`
  }
  return {
    position,
    after: after(),
    column,
    order: down ? [desc(column), desc(id)] : [asc(column), asc(id)],
    take,
    cut: (rows, keyOf) => {
      const page = rows.slice(0, take - 1)
      const last = page.at(-1)
      return { rows: page, next_cursor: rows.length === take && last !== undefined ? encode(keyOf(last)) : null }
    },
  }
}

/** Totals are exact up to 1,000 and null beyond: wrap the counted query in `select 1 … limit 1001`. */
export const limitTotal = (counted: number): number | null => (counted > exactTotal ? null : counted)
