import type { Pool } from 'pg'
import type { Clock } from '../deps'

type Source = Pick<Pool, 'query'>
export type DatabaseClock = { clock: Clock; stop: () => void }

const EVERY_MS = 10_000
/** After a slower answer it is too uncertain when the time was read. */
const SLOWEST_MS = 1000

const read = async (source: Source) => {
  const before = performance.now()
  const { rows } = await source.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms')
  const after = performance.now()
  // The time was read at an unknown moment between question and answer: the middle is assumed.
  return { ms: Number(rows[0]?.ms), at: (before + after) / 2, tookMs: after - before }
}

/**
 * The clock of the database, shared by all processes: limits, sessions and expiries of several hosts follow one time, even if
 * their own clocks are wrong. Between two queries the monotonic clock of this process is added.
 */
export const openClock = async (source: Source, everyMs = EVERY_MS): Promise<DatabaseClock> => {
  let known = await read(source)
  const follow = async () => {
    const found = await read(source).catch(() => undefined)
    if (found && found.tookMs < SLOWEST_MS) known = found
  }
  const timer = setInterval(() => void follow(), everyMs).unref()
  return { clock: () => new Date(known.ms + performance.now() - known.at), stop: () => clearInterval(timer) }
}
