import { setTimeout as pause } from 'node:timers/promises'
import type { Tx } from '../database/tx'
import type { Deps } from '../deps'
import { networkOf } from './network'
import { Refusal, refuse } from './refuse'

export type BearerKind = 'session' | 'access_token' | 'device' | 'enrollment'

const WINDOW_MS = 60_000
/** How long a recently issued token may wait for the next query: one query answers all tokens that arrive meanwhile. */
const GATHER_MS = 50
/** The longest time between issuing a token and the commit of its transaction. */
const OVERLAP_MS = 60_000
/** After this time the tokens in memory are replaced by those that are still valid. */
const REBUILD_MS = 3_600_000
const MOST_ADDRESSES = 100_000

/** 48 bits: enough to distinguish tokens, and small. A collision costs one query only. */
const keyOf = (tokenHash: string): number => Number.parseInt(tokenHash.slice(0, 12), 16)

/** Lists the hashes of the valid tokens of one kind that were issued since a time. */
export type ListIssuedTokens = (tx: Tx, since: Date, now: Date) => Promise<{ tokenHash: string }[]>
export type IssuedTokens = Readonly<Record<BearerKind, ListIssuedTokens>>

/**
 * The issued tokens of one kind, in memory, loaded on demand: all of them at first and again after an hour, so that ended ones
 * go; otherwise only those issued since the last load.
 */
const createIssued = ({ db, clock }: Deps, list: ListIssuedTokens) => {
  let keys = new Set<number>()
  let since = new Date(0)
  let rebuiltAt = new Date(0)
  let loading: Promise<void> | undefined
  let next: Promise<void> | undefined
  const load = async () => {
    const now = clock()
    const isWhole = now.getTime() - rebuiltAt.getTime() >= REBUILD_MS
    const found = await list(db, isWhole ? new Date(0) : since, now)
    if (isWhole) [keys, rebuiltAt] = [new Set(), now]
    for (const { tokenHash } of found) keys.add(keyOf(tokenHash))
    since = new Date(now.getTime() - OVERLAP_MS)
  }
  const refresh = () => {
    // A caller that arrives during a load waits for the next one: its token may have been issued since.
    next ??= Promise.allSettled([loading, pause(GATHER_MS)]).then(() => {
      next = undefined
      loading = load()
      return loading
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

/** `most`: failures of one address in a minute, if it is not the limit for all tokens. */
type Looking<A> = { kind: BearerKind; ip: string; tokenHash: string; find: () => Promise<A | null>; most?: number }

/**
 * Limits look-ups of invalid tokens per client address and minute, counted in this process so that the count costs no query.
 * Many people and devices may share one address behind a router, so an address above the limit is not blocked: the issued
 * tokens are read into memory, and requests with one of them continue, also when it was issued a moment ago. All others get 429
 * with `Retry-After` without a look-up; together they cause at most 20 queries a second of each kind.
 */
export const createBadTokens = (deps: Deps, lists: IssuedTokens) => {
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
    const kept = issued.get(kind) ?? createIssued(deps, lists[kind])
    issued.set(kind, kept)
    return kept
  }

  /**
   * Returns the result of `find`; null and thrown refusals count against the address. Throws 429 instead of calling it above
   * the limit.
   */
  return async <A>({
    kind,
    ip,
    tokenHash,
    find,
    most = deps.config.limits.badTokensPerMinute,
  }: Looking<A>): Promise<A | null> => {
    turn()
    const address = networkOf(ip)
    const key = keyOf(tokenHash)
    if ((counts.get(address) ?? 0) >= most) {
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
