import { setTimeout as pause } from 'node:timers/promises'
import { and, gt, isNull } from 'drizzle-orm'
import { deviceTokens, enrollmentTokens } from '../../fleet/schema/devices'
import { sessions } from '../../accounts/schema/people'
import type { Deps } from '../deps'
import { networkOf } from './network'
import { Refusal, refuse } from './refuse'

export type BearerKind = 'session' | 'device' | 'enrollment'

const WINDOW_MS = 60_000
/** How long a recently issued token may wait for the next query: one query answers all tokens that arrive meanwhile. */
const GATHER_MS = 50
/** The longest time between issuing a token and the commit of its transaction. */
const OVERLAP_MS = 60_000
const MOST_ADDRESSES = 100_000

/** 48 bits: enough to distinguish tokens, and small. A collision costs one query only. */
const keyOf = (tokenHash: string): number => Number.parseInt(tokenHash.slice(0, 12), 16)

const loadIssued = ({ db }: Deps, kind: BearerKind, since: Date): Promise<{ tokenHash: string }[]> => {
  if (kind === 'session') {
    const open = and(isNull(sessions.endedAt), gt(sessions.createdAt, since))
    return db.select({ tokenHash: sessions.tokenHash }).from(sessions).where(open)
  }
  const table = kind === 'device' ? deviceTokens : enrollmentTokens
  return db.select({ tokenHash: table.tokenHash }).from(table).where(gt(table.createdAt, since))
}

/** The issued tokens of one kind, in memory, loaded on demand: all of them at first, later only those issued since. */
const createIssued = (deps: Deps, kind: BearerKind) => {
  const keys = new Set<number>()
  let since = new Date(0)
  let next: Promise<void> | undefined
  const load = async () => {
    const from = new Date(deps.clock().getTime() - OVERLAP_MS)
    for (const { tokenHash } of await loadIssued(deps, kind, since)) keys.add(keyOf(tokenHash))
    since = from
  }
  const refresh = () => {
    // A caller that arrives during a load waits for the next one: its token may have been issued since.
    next ??= pause(GATHER_MS).then(() => {
      next = undefined
      return load()
    })
    return next
  }
  return {
    has: async (key: number) => {
      if (!keys.has(key)) await refresh()
      return keys.has(key)
    },
    forget: (key: number) => void keys.delete(key),
  }
}

type Looking<A> = { kind: BearerKind; ip: string; tokenHash: string; find: () => Promise<A | null> }

/**
 * Limits look-ups of invalid tokens per client address and minute, counted in this process so that the count costs no query.
 * Many people and devices may share one address behind a router, so an address above the limit is not blocked: the issued
 * tokens are read into memory, and requests with one of them continue, also when it was issued a moment ago. All others get 429
 * with `Retry-After` without a look-up; together they cause at most 20 queries a second of each kind.
 */
export const createBadTokens = (deps: Deps) => {
  const counts = new Map<string, number>()
  let issued = new Map<BearerKind, ReturnType<typeof createIssued>>()
  let minute = 0
  let exceeded = false

  const turn = () => {
    const now = Math.floor(deps.clock().getTime() / WINDOW_MS)
    if (now === minute) return
    minute = now
    counts.clear()
    if (!exceeded) issued = new Map()
    exceeded = false
  }
  const add = (address: string, n: number) => {
    const count = (counts.get(address) ?? 0) + n
    if (count <= 0) counts.delete(address)
    else if (counts.has(address) || counts.size < MOST_ADDRESSES) counts.set(address, count)
  }
  const issuedOf = (kind: BearerKind) => {
    const kept = issued.get(kind) ?? createIssued(deps, kind)
    issued.set(kind, kept)
    return kept
  }

  /**
   * Returns the result of `find`; null and thrown refusals count against the address. Throws 429 instead of calling it above
   * the limit.
   */
  return async <A>({ kind, ip, tokenHash, find }: Looking<A>): Promise<A | null> => {
    turn()
    const address = networkOf(ip)
    const key = keyOf(tokenHash)
    if ((counts.get(address) ?? 0) >= deps.config.limits.badTokensPerMinute) {
      exceeded = true
      if (!(await issuedOf(kind).has(key))) {
        const retryAfterS = Math.ceil((WINDOW_MS - (deps.clock().getTime() % WINDOW_MS)) / 1000)
        return refuse(429, 'too_many_requests', { retryAfterS })
      }
    }
    // Counted before the look-up, so that concurrent requests all count.
    add(address, 1)
    const bad = () => issued.get(kind)?.forget(key)
    try {
      const found = await find()
      if (found === null) bad()
      else add(address, -1)
      return found
    } catch (error) {
      if (error instanceof Refusal) bad()
      else add(address, -1)
      throw error
    }
  }
}
