import { createHash, randomFillSync } from 'node:crypto'
import { decodeTime, encodeTime, monotonicFactory } from 'ulid'

// The package's own source asks the system for each character.
const pool = new Uint8Array(4096)
let used = pool.length
const nextRandom = (): number => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return (pool[used++] ?? 0) / 256
}

const rowIds = monotonicFactory(nextRandom)
const requestIds = monotonicFactory(nextRandom)

/**
 * The id of a new row: a ULID of the database's time. Within a process every id sorts after the one before it, also in one
 * millisecond and when the clock goes back.
 */
export const nextId = (at: Date): string => rowIds(at.getTime())

/** In a sequence of its own: the clock of the process may be ahead, and must not carry the ids of rows with it. */
export const nextRequestId = (): string => requestIds(Date.now())

/** Sorts before every id of this time or later. */
export const idOfTime = (at: Date): string => encodeTime(at.getTime(), 10).padEnd(26, '0')

/** The time in an id. Throws for a text that is none. */
export const timeOfId = (id: string): Date => new Date(decodeTime(id))

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A ULID that anybody who has the same text makes again, for what is announced before its row is written. */
export const idFromText = (at: Date, text: string): string => {
  const digest = createHash('sha256').update(text).digest()
  const random = Array.from(digest.subarray(0, 16), (byte) => alphabet[byte % 32]).join('')
  return `${encodeTime(at.getTime(), 10)}${random}`
}
