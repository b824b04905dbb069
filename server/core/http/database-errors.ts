import { setTimeout as pause } from 'node:timers/promises'
import { DrizzleQueryError } from 'drizzle-orm'
import type { Database } from '../database/open'
import type { Tx } from '../database/tx'
import { type Refusal, refuse } from './refuse'
import type { Uniques } from './rights'

type DatabaseError = { code: string; constraint: string | undefined }

const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined

const constraintOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : undefined

/** Drizzle wraps driver errors: the driver's error is the innermost cause with a code. */
const databaseError = (error: unknown): DatabaseError | undefined => {
  const code = codeOf(error)
  if (code !== undefined && (/^[0-9A-Z]{5}$/.test(code) || unreachable.has(code)))
    return { code, constraint: constraintOf(error) }
  return error instanceof Error && error.cause !== undefined ? databaseError(error.cause) : undefined
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** The server was stopped or is starting, or it is not the primary after a fail-over (F-18). The pool's time-out and closed sockets have no code, only these messages. */
const isAway = (error: unknown): boolean => {
  const code = databaseError(error)?.code
  if (code !== undefined) return unreachable.has(code) || /^(08...|57P0[123]|53300|25006)$/.test(code)
  const text = error instanceof Error ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}` : ''
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed/.test(
    text,
  )
}

/**
 * Whether the fault may be that of one of several calls in a statement: a conflict, or values that the database refuses. Not a
 * connection that was lost, and not a limit of time or space.
 */
export const isOfOneCall = (error: unknown): boolean => /^(22|23|40)...$/.test(databaseError(error)?.code ?? '')

// Serialization failures and deadlocks are rolled back completely, so running them again is safe.
const isContest = (error: unknown) => /^40(001|P01)$/.test(databaseError(error)?.code ?? '')

const again = async <T>(work: () => Promise<T>, may: (error: unknown) => boolean, waits: readonly number[]): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    const [wait, ...rest] = waits
    if (wait === undefined || !may(error)) throw error
    await pause(wait + Math.random() * wait)
    return again(work, may, rest)
  }
}

/** F-18: a read is tried twice more when the database connection is lost. */
export const retryRead = <T>(work: () => Promise<T>): Promise<T> => again(work, isAway, [100, 400])

/** A transaction that lost against another one is run again. */
export const retryTransaction = <T>(work: () => Promise<T>): Promise<T> => again(work, isContest, [5, 20, 80, 160, 320])

/** Runs a transaction, and runs it again if it lost against another one. */
export const transact = <T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryTransaction(() => db.transaction(work))

/** F-21: a statement took too long, or waited too long for a lock. */
const isOutOfTime = (error: unknown): boolean => /^(57014|55P03)$/.test(databaseError(error)?.code ?? '')

/** What the log says of a statement that took too long; its text has no values. */
export const describeTimeout = (error: unknown): { error_code: string; statement?: string } | undefined => {
  const found = databaseError(error)
  if (!found || !isOutOfTime(error)) return undefined
  const statement = error instanceof DrizzleQueryError ? { statement: error.query.replaceAll(/\s+/g, ' ').trim() } : {}
  return { error_code: found.code, ...statement }
}

/** The file system of the server, not of the database, has no space left. */
export const isDiskFull = (error: unknown): boolean => /^(ENOSPC|EDQUOT)$/.test(codeOf(error) ?? '')

// Spreads the retries of callers that are refused together.
const retryAfterS = () => 2 + Math.floor(Math.random() * 9)

/** Throws the refusal for a database error; throws other errors unchanged. */
export const rethrowAsRefusal = (uniques: Uniques, error: unknown): Refusal | never => {
  if (isAway(error)) return refuse(503, 'unavailable', { retryAfterS: retryAfterS() })
  if (isDiskFull(error)) return refuse(507, 'no_space')
  const found = databaseError(error)
  if (!found) throw error
  const taken = uniques.get(found.constraint ?? '')
  if (found.code === '23505' && taken) return refuse(422, 'invalid', { details: [taken] })
  if (found.code === '23505' || found.code === '23503' || isContest(error)) return refuse(409, 'conflict')
  if (isOutOfTime(error)) return refuse(503, 'unavailable', { retryAfterS: retryAfterS() })
  if (found.code === '53100') return refuse(507, 'no_space')
  throw error
}
