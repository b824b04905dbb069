import { sql } from 'drizzle-orm'
import type { Tx } from './tx'

/** Fails while the database does not answer. */
export const ping = (tx: Tx): Promise<unknown> => tx.execute(sql`select 1`)
