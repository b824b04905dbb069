import type { Pool } from 'pg'
import type { Clock } from '../deps'

type Database = Pick<Pool, 'query'>
export type DatabaseClock = { clock: Clock; stop: () => void }

const refreshMs = 10_000
/** A slower answer is ignored: it is too uncertain at which moment the time was read. */
const maxQueryMs = 1000

const readTime = async (database: Database) => {
  const before = performance.now()
  const { rows } = await database.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms')
  const after = performance.now()
  // The time was read at an unknown moment between question and answer: the middle is assumed.
  return { timeMs: Number(rows[0]?.ms), readAtMs: (before + after) / 2, queryMs: after - before }
}

/**
 * A clock that follows the time of the database, shared by all processes: limits, sessions and expiries of several hosts follow one time, even if
 * their own clocks are wrong. Between two queries the monotonic clock of this process is added.
 */
export const openDatabaseClock = async (database: Database, everyMs = refreshMs): Promise<DatabaseClock> => {
  let last = await readTime(database)
  const refresh = async () => {
    const found = await readTime(database).catch(() => undefined)
    if (found && found.queryMs < maxQueryMs) last = found
  }
  const timer = setInterval(() => void refresh(), everyMs).unref()
  return { clock: () => new Date(last.timeMs + performance.now() - last.readAtMs), stop: () => clearInterval(timer) }
}
