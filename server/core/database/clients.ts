import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg'

type OnError = (error: Error) => unknown

// The running query rejects with the reason.
const nothing: OnError = () => {}

/**
 * Makes a connection that is not open yet. A connection that PostgreSQL ends, or a network breaks, emits `error` between its queries
 * and while it is closed; without a listener that ends the process. `tests/structure.test.ts` refuses connections made elsewhere.
 */
export const createClient = (options: ClientConfig, onError: OnError = nothing): Client =>
  new Client(options).on('error', onError)

/** Makes a pool. It emits `error` itself for a connection that broke while idle; it replaces that one without any other notice. */
export const createPool = (options: PoolConfig, onError: OnError = nothing): Pool => {
  const pool = new Pool(options)
  // The pool listens only while a connection is idle, not while it is in use or being closed.
  return pool.on('connect', (client) => client.on('error', nothing)).on('error', onError)
}
