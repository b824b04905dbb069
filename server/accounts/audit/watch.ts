import { setTimeout as pause } from 'node:timers/promises'
import { genesis } from '../../../contract/accounts/audit-verification'
import { planLimits } from '../../../contract/accounts/plan-limits'
import { requireSteadyClock } from '../../core/database/clock-jump'
import { type Database, openDatabase } from '../../core/database/open'
import type { Tx } from '../../core/database/tx'
import type { Logger } from '../../core/log'
import { daysBefore } from '../../core/days'
import { type Anchors, openAnchors } from '../../core/audit/anchor'
import { append, verify, WALKED_AT_ONCE } from '../../core/audit/chain'
import {
  type ChainRow,
  deleteEntriesUntil,
  findChain,
  findDatabaseTime,
  findEntryHash,
  findSequenceSince,
  hasFactsUntil,
  listChainIds,
  listChainPlans,
  listChains,
  lockForRetention,
  updateCheckpoint,
} from './chains.repository'
import { formatTimestamp } from '../../core/timestamps'
import { type Comparison, compare } from './compare'

export type AuditWatch = {
  /** The database, its anchors, and the clock of this machine, where the anchors are stored. */
  db: Database
  anchors: Anchors
  log: Logger
  now: () => Date
}

const ANCHOR_MS = 60_000
// In intervals of a minute.
const WALK_TURNS = 60
const TRIM_TURNS = 360
const STATEMENT_MS = 300_000

const headOf = (chain: ChainRow) => ({
  sequence: chain.sequence,
  hash: chain.hash,
  count: chain.sequence - chain.checkpointSequence,
})

const alarm = ({ log }: AuditWatch, chain: string, { mismatch, firstBad, anchor }: Comparison) =>
  log.error(
    { chain, mismatch, first_bad: firstBad, anchored_sequence: anchor?.sequence, anchored_at: anchor?.at },
    'ALARM: the audit log in the database differs from its anchor',
  )

/**
 * Anchors the heads that have moved since their last anchor. Entries since then are verified first: a head that does not
 * continue its anchor gets none, and the next comparison reports it.
 */
export const anchorHeads = async (watch: AuditWatch): Promise<number> => {
  const { db, anchors, now } = watch
  let written = 0
  for (const chain of await listChains(db)) {
    const { anchor, mismatch } = await compare(db, chain.id, anchors)
    if (mismatch !== null || anchor?.sequence === chain.sequence) continue
    // Retention may have removed the anchored entry.
    const from = anchor && anchor.sequence >= chain.checkpointSequence ? anchor : undefined
    const verdict = await verify(db, chain.id, from)
    const latest = await findChain(db, chain.id)
    if (!verdict.whole || !latest || verdict.head < chain.sequence) continue
    await anchors.write({
      walked_at: null,
      first_bad: null,
      restored: null,
      ...anchor,
      kind: 'head',
      chain: chain.id,
      ...headOf(chain),
      at: now().toISOString(),
    })
    written += 1
  }
  return written
}

const walkChain = async (watch: AuditWatch, id: string): Promise<boolean> => {
  const { db, anchors, log, now } = watch
  const comparison = await compare(db, id, anchors)
  const chain = await findChain(db, id)
  if (comparison.mismatch !== null) alarm(watch, id, comparison)
  if (comparison.mismatch !== null || !chain) return comparison.mismatch === null
  const verdict = await verify(db, id)
  const firstBad = verdict.whole ? null : verdict.firstBad
  if (firstBad !== null) log.error({ chain: id, first_bad: firstBad }, 'ALARM: an entry of the audit log does not match its hash')
  const at = now().toISOString()
  const before = comparison.anchor
  const isNews = headOf(chain).sequence !== before?.sequence || firstBad !== (before?.first_bad ?? null)
  // A request walks a short chain itself.
  if (!isNews && headOf(chain).count <= WALKED_AT_ONCE) return firstBad === null
  const facts = { restored: null, ...before, ...(firstBad === null && { kind: 'head' as const, ...headOf(chain) }) }
  // A broken chain keeps its last anchored head.
  const head = { kind: 'head' as const, chain: id, sequence: 0, hash: genesis, count: 0, at, ...facts }
  await anchors.write({ ...head, ...(firstBad === null && { at }), walked_at: at, first_bad: firstBad })
  return firstBad === null
}

/** Walks every chain from its first entry and compares it with its anchor. Logs an error for each wrong chain. */
export const walkChains = async (watch: AuditWatch): Promise<{ chains: number; wrong: number }> => {
  const { db, anchors } = watch
  const ids = new Set([...(await listChainIds(db)), ...(await anchors.list())])
  let wrong = 0
  for (const id of ids) if (!(await walkChain(watch, id))) wrong += 1
  return { chains: ids.size, wrong }
}

/**
 * Signs that a backup was restored: each chain continues from its restored head, and later entries are reported as lost by the
 * restore.
 */
export const anchorRestore = async ({ db, anchors, now }: Omit<AuditWatch, 'log'>, takenAt: string): Promise<void> => {
  const at = now().toISOString()
  const chains = new Map((await listChains(db)).map((chain) => [chain.id, chain]))
  for (const id of new Set([...chains.keys(), ...(await anchors.list())])) {
    const chain = chains.get(id)
    const before = await anchors.find(id)
    const head = chain ? headOf(chain) : { sequence: 0, hash: genesis, count: 0 }
    // A restore that is repeated has anchored what it had restored before.
    const first = before?.kind === 'restore' && before.restored?.taken_at === takenAt ? before.restored : before
    const restored = { at, taken_at: takenAt, sequence: first?.sequence ?? null }
    await anchors.write({ kind: 'restore', chain: id, ...head, at, walked_at: null, first_bad: null, restored })
  }
}

const recordTrim = async (tx: Tx, chainId: string, until: number, before: Date) =>
  append(tx, {
    chainId,
    occurredAt: await findDatabaseTime(tx),
    action: 'audit.trim',
    result: 'success',
    actor: { kind: 'system', id: null, name: 'retention', email: null },
    credential: { kind: 'system', id: null },
    sourceIp: null,
    userAgent: null,
    requestId: 'job',
    projectId: null,
    target: { kind: 'audit_log', id: null, name: `up to entry ${until}` },
    changes: [],
    reason: `older than ${formatTimestamp(before)}`,
  })

/**
 * Removes the entries of a chain before a time, signs the resulting checkpoint and records it. Does nothing to a chain that is
 * wrong, and nothing if only records of retention would be removed: a log that is no longer used would change forever.
 */
export const trimChain = async ({ db, anchors }: AuditWatch, id: string, before: Date): Promise<number> => {
  if ((await compare(db, id, anchors)).mismatch !== null || !(await verify(db, id)).whole) return 0
  return db.transaction(async (tx) => {
    const chain = await lockForRetention(tx, id)
    if (!chain) return 0
    const kept = await findSequenceSince(tx, id, before)
    const sequence = (kept ?? chain.sequence + 1) - 1
    const checkpointHash = await findEntryHash(tx, id, sequence)
    if (checkpointHash === undefined || !(await hasFactsUntil(tx, id, sequence))) return 0
    const checkpointSignature = anchors.signCheckpoint({ chain: id, sequence, hash: checkpointHash })
    await updateCheckpoint(tx, id, { checkpointSequence: sequence, checkpointHash, checkpointSignature })
    await deleteEntriesUntil(tx, id, sequence)
    await recordTrim(tx, id, sequence, before)
    return sequence - chain.checkpointSequence
  })
}

/**
 * Trims every chain to the days of its organization, at most those of the plan of its organization or person. Chains whose
 * owner was deleted keep the longest retention.
 */
export const trimChains = async (watch: AuditWatch, now: Date): Promise<number> => {
  let removed = 0
  for (const { id, plan, days } of await listChainPlans(watch.db)) {
    const most = planLimits[plan ?? 'production'].audit_days
    removed += await trimChain(watch, id, daysBefore(now, Math.min(days ?? most, most)))
  }
  return removed
}

/** Not while the clock of the database has jumped. */
export const trimByAge = async (watch: AuditWatch): Promise<number> => {
  const now = await findDatabaseTime(watch.db)
  await requireSteadyClock(watch.db, now)
  return trimChains(watch, now)
}

export type WatchOptions = {
  /** Connects as the owner of the tables; a function, since the database may move. */
  url: () => string
  dataDirectory: string
  log: Logger
}

/**
 * Guards the audit log in the process that has the owner's connection: anchors new heads each minute, compares and walks all
 * chains now and each hour, applies retention every six hours. `stop` anchors once more.
 */
export const watchAuditLog = ({ url, dataDirectory, log }: WatchOptions) => {
  const stopping = new AbortController()

  const withDatabase = async (
    work: (watch: AuditWatch) => Promise<unknown>,
    failure = 'the audit log could not be compared with its anchors',
  ) => {
    const { db, close } = openDatabase({ url: url(), onError: () => {}, connections: 1, statementTimeoutMs: STATEMENT_MS })
    try {
      await work({ db, anchors: await openAnchors(dataDirectory), log, now: () => new Date() })
    } catch (error) {
      log.error({ err: error }, failure)
    } finally {
      await close()
    }
  }

  const turn = async (count: number) => {
    if (count % WALK_TURNS === 0) await withDatabase(walkChains)
    else await withDatabase(anchorHeads)
    if (count % TRIM_TURNS === 1) await withDatabase(trimByAge, 'retention did not trim the audit log')
  }

  const run = async () => {
    for (let count = 0; !stopping.signal.aborted; count++) {
      await turn(count)
      await pause(ANCHOR_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  const running = run()

  return {
    stop: async () => {
      stopping.abort()
      await running
      await withDatabase(anchorHeads)
    },
  }
}
