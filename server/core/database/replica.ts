import { performance } from 'node:perf_hooks'
import type { Pool } from 'pg'
import type { Logger } from '../log'
import { type Database, type OpenOptions, openDatabase } from './open'

const LOOK_MS = 1000
/** A replica that shows what the primary contained longer ago than this is not read. */
const MOST_LAG_MS = 5000

export type Replica = {
  /** The replica if it is at most `MOST_LAG_MS` behind the primary; undefined otherwise, and while its lag is unknown. */
  find: () => Database | undefined
  close: () => Promise<void>
}
export type ReplicaOptions = {
  url: string
  primary: Pick<Pool, 'query'>
  log: Pick<Logger, 'info' | 'warn'>
  limits?: Pick<OpenOptions, 'statementTimeoutMs' | 'connectionTimeoutMs'>
  lookMs?: number
}

type Position = { at: number; position: string }

const findPosition = async (database: Pick<Pool, 'query'>, text: string): Promise<string | undefined> =>
  (await database.query<{ position: string | null }>(text)).rows[0]?.position ?? undefined

const WRITTEN = 'select pg_current_wal_lsn() as position'
// A replica that was promoted has everything that it wrote itself.
const REPLAYED = 'select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end as position'

/** The position in the write-ahead log as a number: `16/B374D848` (PostgreSQL's pg_lsn). */
const toNumber = (position: string): bigint => {
  const [high = '0', low = '0'] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/**
 * Connects to a replica and measures its lag each second: it has what the primary contained at a moment if it has replayed the
 * position of the write-ahead log that the primary had then. The clock of this process is the only one involved, and a primary without
 * writes causes no lag.
 */
export const openReplica = ({ url, primary, log, limits, lookMs = LOOK_MS }: ReplicaOptions): Replica => {
  const { db, pool, close } = openDatabase({ url, onError: () => {}, ...limits })
  let written: Position[] = []
  /** The last moment whose writes the replica has. */
  let shown = Number.NEGATIVE_INFINITY
  const opened = performance.now()
  let wasRead: boolean | undefined
  const isRead = () => performance.now() - shown < MOST_LAG_MS

  const report = () => {
    // A replica that does not answer from the start is reported too, once it has had the time to.
    const isKnown = wasRead !== undefined || isRead() || performance.now() - opened > MOST_LAG_MS
    if (!isKnown || isRead() === wasRead) return
    wasRead = isRead()
    if (wasRead) log.info('reads that bear a lag go to the replica')
    else log.warn({ most_lag_ms: MOST_LAG_MS }, 'the replica does not answer or lags: all reads go to the primary')
  }

  const measure = async () => {
    const at = performance.now()
    const position = await findPosition(primary, WRITTEN)
    written = [...written.filter((it) => at - it.at < MOST_LAG_MS), ...(position === undefined ? [] : [{ at, position }])]
    const replayed = await findPosition(pool, REPLAYED)
    if (replayed === undefined) return
    const known = written.findLast((it) => toNumber(it.position) <= toNumber(replayed))
    if (known) shown = known.at
  }

  let measuring = false
  const timer = setInterval(() => {
    report()
    if (measuring) return
    measuring = true
    // While one of the two does not answer, `shown` does not advance.
    void measure()
      .catch(() => {})
      .finally(() => {
        measuring = false
        report()
      })
  }, lookMs)

  return {
    find: () => (isRead() ? db : undefined),
    close: async () => {
      clearInterval(timer)
      await close()
    },
  }
}
