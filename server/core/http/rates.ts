import { sql } from 'drizzle-orm'
import type { FastifyReply } from 'fastify'
import type { Endpoint } from '../../../contract/endpoint'
import { rateWindows } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'
import type { Deps } from '../deps'
import type { Actor } from './actors'
import { networkOf } from './network'
import { refuse } from './refuse'

const WINDOW_MS = 60_000

// The clock of one process may be slightly behind when the minute turns: its requests count in the window that another process
// has started.
const runs = sql`${rateWindows.startedAt} between excluded.started_at and excluded.started_at + interval '1 minute'`

/** Counts one more in the current minute, for all processes of the database. */
export const count = async (db: Tx, key: string, now: Date): Promise<number> => {
  const startedAt = new Date(Math.floor(now.getTime() / WINDOW_MS) * WINDOW_MS)
  const [row] = await db
    .insert(rateWindows)
    .values({ key, startedAt, count: 1 })
    .onConflictDoUpdate({
      target: rateWindows.key,
      set: {
        count: sql`case when ${runs} then ${rateWindows.count} + 1 else 1 end`,
        startedAt: sql`case when ${runs} then ${rateWindows.startedAt} else excluded.started_at end`,
      },
    })
    .returning({ count: rateWindows.count })
  return row?.count ?? 1
}

const bucketOf = ({ rate }: Endpoint, actor: Actor, ip: string, { limits }: Deps['config']): [string, number] => {
  if (rate === 'sign_in') return [`sign-in:${networkOf(ip)}`, limits.signInsPerMinute]
  if (rate === 'controller' && actor.kind === 'device') return [`controller:${actor.id}`, limits.controllerRequestsPerMinute]
  if (actor.kind === 'user') return [`session:${actor.sessionId}`, limits.requestsPerMinute]
  if (actor.kind === 'device') return [`device:${actor.id}`, limits.deviceRequestsPerMinute]
  // Many devices enroll with one token from one address: both share the class of requests per minute.
  return [`${actor.kind}:${actor.kind === 'enrollment' ? actor.id : networkOf(ip)}`, limits.requestsPerMinute]
}

/** 429 above the rate limit of the endpoint's class; the address is the socket's, never a header's (T-32). */
export const limit = async (deps: Deps, endpoint: Endpoint, actor: Actor, ip: string, reply: FastifyReply): Promise<void> => {
  if (endpoint.rate === 'unlimited') return
  const now = deps.clock()
  const [key, most] = bucketOf(endpoint, actor, ip, deps.config)
  const used = await count(deps.db, key, now)
  const reset = Math.ceil((WINDOW_MS - (now.getTime() % WINDOW_MS)) / 1000)
  reply
    .header('RateLimit-Limit', most)
    .header('RateLimit-Remaining', Math.max(0, most - used))
    .header('RateLimit-Reset', reset)
  if (used > most) refuse(429, 'too_many_requests', { retryAfterS: reset })
}
