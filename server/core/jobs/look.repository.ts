import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { QueryConfig } from 'pg'
import type { Job } from './job'

export type Seen = {
  /** The time of the database, in seconds. */
  atS: number
  /** The jobs that have something to do. */
  names: ReadonlySet<string>
}
type Row = Record<string, boolean | number | null>

const dialect = new PgDialect()
const time = 'at_s'

const columns = (jobs: readonly Job[], asked: ReadonlySet<string>): SQL[] =>
  jobs.flatMap(({ name, when }) =>
    // PostgreSQL does not read the tables of a condition that is not asked.
    when ? [sql`case when ${asked.has(name)}::boolean then ${when} end as ${sql.identifier(name)}`] : [],
  )

/** One statement for all conditions, that the server plans once on each connection: it is asked each second. */
export const lookFor = (jobs: readonly Job[], asked: ReadonlySet<string>): QueryConfig => {
  const all = [sql`extract(epoch from clock_timestamp())::float8 as ${sql.identifier(time)}`, ...columns(jobs, asked)]
  const { sql: text, params: values } = dialect.sqlToQuery(sql`select ${sql.join(all, sql`, `)}`)
  return { name: 'look for work', text, values }
}

export const readSeen = (row: Row): Seen => ({
  atS: Number(row[time]),
  names: new Set(Object.keys(row).filter((name) => row[name] === true)),
})
