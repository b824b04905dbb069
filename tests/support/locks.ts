import { sql } from 'drizzle-orm'
import { expect, vi } from 'vitest'
import type { Tx } from '../../server/core/database/tx'
import { within } from './machine-load'

const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** Until one session of the database waits for a lock. */
export const untilOneWaits = (db: Tx): Promise<void> =>
  vi.waitFor(async () => expect((await db.execute(waiting)).rowCount).toBe(1), { timeout: within(10_000) })
