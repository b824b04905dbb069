import { sql } from 'drizzle-orm'
import type { FastifyReply } from 'fastify'
import type { Endpoint } from '../../../contract/core/endpoint'
import { rateWindows } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'
import type { Deps } from '../deps'
import type { Actor } from './actors'
import type { Api } from './api'
import { networkOf } from './network'
import { refuse } from './refuse'

const WINDOW_MS = 60_000

// The clock of one process may be slightly behind when the minute turns: its requests count in the window that another process
// has started.
const runs = sql`${rateWindows.startedAt} between excluded.started_at and excluded.started_at + interval '1 minute'`

/** Counts one more, or `by` more, in the current minute, for all processes of the database. */
export const count = async (db: Tx, key: string, now: Date, by = 1): Promise<number> => {
  const startedAt = new Date(Math.floor(now.getTime() / WINDOW_MS) * WINDOW_MS)
  const [row] = await db
    .insert(rateWindows)
    .values({ key, startedAt, count: by })
    .onConflictDoUpdate({
      target: rateWindows.key,
      set: {
        count: sql`case when ${runs} then ${rateWindows.count} + excluded.count else excluded.count end`,
        startedAt: sql`case when ${runs} then ${rateWindows.startedAt} else excluded.started_at end`,
      },
    })
    .returning({ count: rateWindows.count })
  return row?.count ?? by
}

/** A process counts this part of a limit by itself before it adds it to the count of all processes. */
const OWN_PART = 1 / 20
const MOST_KEYS = 200_000

/** `shared`: the count of all processes when this one last added to it. */
type Counted = { shared: number; own: number; adding: Promise<void> | undefined }
type Bucket = { key: string; most: number; now: Date }

/**
 * Counts requests so that most of them write no row: a process adds its own count to the shared one each time it reaches a
 * twentieth of the limit. So each further process lets through less than a twentieth of the limit more; a limit below 40 is
 * counted exactly.
 */
export const createRateCounts = (db: Tx) => {
  const counts = new Map<string, Counted>()
  let minute = 0
  return async ({ key, most, now }: Bucket): Promise<number> => {
    const current = Math.floor(now.getTime() / WINDOW_MS)
    if (current > minute) {
      counts.clear()
      minute = current
    }
    const atOnce = Math.max(1, Math.floor(most * OWN_PART))
    const known = counts.get(key)
    if (atOnce === 1 || (!known && counts.size >= MOST_KEYS)) return count(db, key, now)
    const counted: Counted = known ?? { shared: 0, own: 0, adding: undefined }
    counts.set(key, counted)
    // Requests that arrive during an addition wait for it: otherwise any number could pass meanwhile.
    while (counted.adding) await counted.adding
    counted.own += 1
    if (counted.own < atOnce) return counted.shared + counted.own
    const addition = count(db, key, now, counted.own)
    counted.adding = addition.then(
      () => {},
      () => {},
    )
    counted.shared += counted.own
    counted.own = 0
    try {
      counted.shared = Math.max(counted.shared, await addition)
    } finally {
      counted.adding = undefined
    }
    return counted.shared + counted.own
  }
}

const bucketOf = ({ rate }: Endpoint, actor: Actor, ip: string, { limits }: Deps['config']): [string, number] => {
  if (rate === 'sign_in') return [`sign-in:${networkOf(ip)}`, limits.signInsPerMinute]
  if (rate === 'controller' && actor.kind === 'device') return [`controller:${actor.id}`, limits.controllerRequestsPerMinute]
  if (actor.kind === 'user') {
    const { kind, id } = actor.credential
    // A program that polls must still be able to act: an access token has a limit for each class.
    return [kind === 'access_token' ? `${kind}:${id}:${rate}` : `${kind}:${id}`, limits.requestsPerMinute]
  }
  if (actor.kind === 'device') return [`device:${actor.id}`, limits.deviceRequestsPerMinute]
  // Many devices enroll with one token from one address: both share the class of requests per minute.
  return [`${actor.kind}:${actor.kind === 'enrollment' ? actor.id : networkOf(ip)}`, limits.requestsPerMinute]
}

/** 429 above the rate limit of the endpoint's class; the address is the socket's, never a header's (T-32). */
export const limit = async (
  { deps, countRequest }: Pick<Api, 'deps' | 'countRequest'>,
  endpoint: Endpoint,
  actor: Actor,
  ip: string,
  reply: FastifyReply,
): Promise<void> => {
  if (endpoint.rate === 'unlimited') return
  const now = deps.clock()
  const [key, most] = bucketOf(endpoint, actor, ip, deps.config)
  // T-12: attempts to sign in are counted exactly.
  const used = endpoint.rate === 'sign_in' ? await count(deps.db, key, now) : await countRequest({ key, most, now })
  const reset = Math.ceil((WINDOW_MS - (now.getTime() % WINDOW_MS)) / 1000)
  reply
    .header('RateLimit-Limit', most)
    .header('RateLimit-Remaining', Math.max(0, most - used))
    .header('RateLimit-Reset', reset)
  if (used > most) refuse(429, 'too_many_requests', { retryAfterS: reset })
}
