import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { type Client, type Pool, types } from 'pg'
import { createPool } from './clients'

export type Database = NodePgDatabase
export type OpenOptions = {
  url: string
  /** Called for idle connections that broke. The pool replaces them without any other notice. */
  onError: (error: Error) => void
  connections?: number
  /** F-21: the server cancels a statement that takes longer. */
  statementTimeoutMs?: number
  /** How long a caller waits for a connection. */
  connectionTimeoutMs?: number
  /** How long an unused connection stays open. */
  idleMs?: number
}
export type OpenDatabase = {
  pool: Pool
  db: Database
  close: () => Promise<void>
}

const safeInteger = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number`)
  return value
}

// Sizes and counters are bigint columns. All of them stay far below 2^53; a larger value must fail loudly.
types.setTypeParser(types.builtins.INT8, safeInteger)

const pools = new Set<Pool>()

/** From now on every pool of this process connects here: the embedded server may return on another port. */
export const moveConnections = (url: string): void => {
  for (const pool of pools) pool.options.connectionString = url
}

/** Drizzle on a connection that is open already. */
export const databaseOf = (client: Client): Database => drizzle(client)

/**
 * Drizzle does not return a connection to the pool if its `begin` fails, which happens where PostgreSQL ends or a network breaks. The
 * pool would be empty after as many outages as it has connections.
 */
const returnConnections = (pool: Pool): Database => {
  const db = drizzle(pool)
  db.transaction = async (work, config) => {
    const client = await pool.connect()
    try {
      return await drizzle(client).transaction(work, config)
    } finally {
      client.release()
    }
  }
  return db
}

/** The limits of requests: their statements, and their wait for a connection. */
export const requestLimits = ({ limits }: { limits: { databaseS: number } }) => ({
  statementTimeoutMs: limits.databaseS * 1000,
  connectionTimeoutMs: limits.databaseS * 1000,
  // Longer than the clock of an idle host takes to ask again: it would open a connection each time.
  idleMs: 30_000,
})

/** The pool of this process and Drizzle on top of it. */
export const openDatabase = ({
  url,
  onError,
  connections = 10,
  statementTimeoutMs = 5000,
  connectionTimeoutMs = 5000,
  idleMs = 10_000,
}: OpenOptions): OpenDatabase => {
  let closing = false
  const pool = createPool(
    {
      connectionString: url,
      max: connections,
      application_name: 'teasel',
      connectionTimeoutMillis: connectionTimeoutMs,
      idleTimeoutMillis: idleMs,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
    },
    // The last connections may outlive the pool by a moment and see the server shut down.
    (error) => closing || onError(error),
  )
  pools.add(pool)
  return {
    pool,
    db: returnConnections(pool),
    close: () => {
      closing = true
      pools.delete(pool)
      return pool.end()
    },
  }
}
