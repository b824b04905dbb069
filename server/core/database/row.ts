import { sql } from 'drizzle-orm'
import { nextId } from '../ids'

/** The first columns of a new row. */
export const newRow = (now: Date) => ({ id: nextId(now), createdAt: now, updatedAt: now, revision: 1 })

/** The columns that every update of a row sets. */
export const rowUpdate = (now: Date) => ({ updatedAt: now, revision: sql<number>`revision + 1` })
