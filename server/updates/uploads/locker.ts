import type { Lock, Locker, RequestRelease } from '@tus/server'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type { Logger } from '../../core/log'

type Held = { release: RequestRelease }
const channel = 'teasel_upload_wanted'
const askEveryMs = 100
const lockTimeoutMs = 30_000

/**
 * One writer per upload, across all processes of a database: session locks of PostgreSQL on one connection of this process,
 * which is also notified when another process waits for a lock held here. Locks end with the connection, so a killed process
 * leaves none; writers get a request to stop when the connection is lost.
 */
export class AdvisoryLocker implements Locker {
  readonly #pool: Pool
  readonly #log: Logger
  readonly #held = new Map<string, Held>()
  #client: Promise<PoolClient> | undefined

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
  }

  newLock(id: string): Lock {
    return {
      lock: (signal, cancel) => this.#lock(id, signal, cancel),
      unlock: () => this.#unlock(id),
    }
  }

  /** Releases the connection; the server drops its locks. */
  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await client?.then(
      (open) => {
        // The server may still end the connection while it closes: nothing can be lost any more, and it is released only once.
        open.removeAllListeners('error').on('error', () => {})
        open.release(true)
      },
      () => {},
    )
  }

  async #connect(): Promise<PoolClient> {
    const client = await this.#pool.connect()
    const lose = (error?: Error) => {
      if (error) this.#log.error(error, 'the connection with the upload locks was lost')
      this.#client = undefined
      client.release(true)
      for (const { release } of this.#held.values()) void release()
      this.#held.clear()
    }
    client.once('error', lose)
    client.on('notification', ({ payload = '' }) => void this.#held.get(payload)?.release())
    await client.query(`listen ${channel}`)
    return client
  }

  #open(): Promise<PoolClient> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined
      throw error
    })
    return this.#client
  }

  async #try(id: string): Promise<boolean> {
    // PostgreSQL would grant the session its own lock again: within this process the map decides.
    if (this.#held.has(id)) {
      void this.#held.get(id)?.release()
      return false
    }
    const mark: Held = { release: () => {} }
    this.#held.set(id, mark)
    try {
      const client = await this.#open()
      const { rows } = await client.query<{ ok: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 1)) as ok', [id])
      if (rows[0]?.ok === true) return true
      await client.query('select pg_notify($1, $2)', [channel, id])
    } catch (error) {
      this.#held.delete(id)
      throw error
    }
    this.#held.delete(id)
    return false
  }

  async #lock(id: string, signal: AbortSignal, cancel: RequestRelease): Promise<void> {
    for (let waited = 0; waited < lockTimeoutMs; waited += askEveryMs) {
      if (signal.aborted) break
      if (await this.#try(id)) {
        this.#held.set(id, { release: cancel })
        return
      }
      await pause(askEveryMs)
    }
    // The form in which the tus server accepts refusals; the client retries.
    throw { status_code: 423, body: 'The upload is being written by another request' }
  }

  async #unlock(id: string): Promise<void> {
    if (!this.#held.delete(id)) return
    const client = await this.#open()
    // Not waited for: the next statement of this connection comes after it, and a lock of a lost connection is gone.
    client.query('select pg_advisory_unlock(hashtextextended($1, 1))', [id]).catch((error: unknown) => {
      this.#log.warn(error, 'the lock of an upload was not released')
    })
  }
}
