import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'

/** A transaction, or the pool for reads: repositories accept either. */
export type Tx = PgDatabase<NodePgQueryResultHKT>
