import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'

/** A transaction, or the pool where nothing is changed: repositories take either. */
export type Tx = PgDatabase<NodePgQueryResultHKT>
