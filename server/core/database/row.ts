import { sql } from 'drizzle-orm'
import { nextId } from '../ids'

/** The first columns of a new entity. */
export const born = (now: Date) => ({ id: nextId(now), createdAt: now, updatedAt: now, revision: 1 })

/** The columns that every change of an entity sets. */
export const changed = (now: Date) => ({ updatedAt: now, revision: sql<number>`revision + 1` })
