import { sql } from 'drizzle-orm'
import { ulid } from 'ulid'

/** The first columns of a new entity. */
export const born = (now: Date) => ({ id: ulid(now.getTime()), createdAt: now, updatedAt: now, revision: 1 })

/** The columns that every change of an entity sets. */
export const changed = (now: Date) => ({ updatedAt: now, revision: sql<number>`revision + 1` })
