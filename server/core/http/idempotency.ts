import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { create, number, record, string, type, unknown } from 'superstruct'
import { idempotentAnswers } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'
import { readSessionToken } from './actors'
import { secondsAfter } from '../days'
import { lifetimes } from '../lifetimes'
import { refuse } from './refuse'

const StoredAnswer = type({ status: number(), body: unknown(), headers: record(string(), string()) })
export type StoredAnswer = { status: number; body: unknown; headers: Record<string, string> }
/** One POST that may be repeated: the caller, the key, and a hash of the request. */
export type Retry = { actor: string; key: string; requestHash: string; secret: Buffer }

const sha256 = (...parts: (string | Buffer)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

export const retryOf = (request: FastifyRequest, actor: string): Retry | undefined => {
  const key = request.headers['idempotency-key']
  if (request.method !== 'POST' || key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(key))
    return refuse(400, 'malformed', { message: 'Idempotency-Key must be 1 to 128 printable characters' })
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  // Answers may hold secrets that are shown once. They are encrypted with what only the caller has: the token, or the body.
  const held = readSessionToken(request) ?? request.headers.authorization ?? body
  const secret = Buffer.from(hkdfSync('sha256', held, key, 'idempotent answer', 32))
  return { actor, key, requestHash: sha256(request.url, request.headers['content-type'] ?? '', body), secret }
}

const seal = (retry: Retry, answer: StoredAnswer): string => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', retry.secret, nonce)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

const open = (retry: Retry, text: string): StoredAnswer => {
  const bytes = Buffer.from(text, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', retry.secret, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28))
  const decrypted = decipher.update(bytes.subarray(28))
  try {
    decipher.final()
  } catch {
    // The caller has another token than at the first time, for example after a rotation.
    return refuse(422, 'idempotency_mismatch')
  }
  return create(JSON.parse(decrypted.toString()), StoredAnswer)
}

const mine = ({ actor, key }: Retry) => and(eq(idempotentAnswers.actor, actor), eq(idempotentAnswers.key, key))

/**
 * The answer given before, or undefined at the first time. The lock lasts as long as the transaction, so that a killed server
 * leaves neither a partial answer nor a key that is "still running" for ever (F-23).
 */
export const findAnswer = async (tx: Tx, retry: Retry, now: Date): Promise<StoredAnswer | undefined> => {
  const lock = await tx.execute<{ mine: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`${retry.actor} ${retry.key}`}, 0)) as mine`,
  )
  if (!lock.rows[0]?.mine) return refuse(409, 'idempotency_in_progress', { retryAfterS: 1 })
  const [found] = await tx.select().from(idempotentAnswers).where(mine(retry))
  if (!found) return undefined
  if (found.expiresAt <= now) {
    await tx.delete(idempotentAnswers).where(mine(retry))
    return undefined
  }
  return found.requestHash === retry.requestHash ? open(retry, found.sealed) : refuse(422, 'idempotency_mismatch')
}

/** Stores an answer in the transaction of its change. */
export const storeAnswer = async (tx: Tx, retry: Retry, answer: StoredAnswer, now: Date): Promise<void> => {
  const { actor, key, requestHash } = retry
  const expiresAt = secondsAfter(now, lifetimes.idempotentAnswerS)
  await tx
    .insert(idempotentAnswers)
    .values({ actor, key, requestHash, status: answer.status, sealed: seal(retry, answer), expiresAt })
}
