import { createHash } from 'node:crypto'
import { and, asc, eq, gt, lte, sql } from 'drizzle-orm'
import { nextId } from '../ids'
import { hashedText } from '../../../contract/accounts/audit-verification'
import { auditChains } from '../database/schema/audit'
import { auditEntries } from '../database/schema/audit-entries.partitioned'
import type { Tx } from '../database/tx'
import { type AuditRow, unhashed } from './to-json'

/** The position of an entry in its chain, and its hash. */
export type Head = { sequence: number; hash: string }

export type AuditFacts = Omit<AuditRow, 'id' | 'sequence' | 'prevHash' | 'hash'>

/** SHA-256 of the previous hash and the canonical JSON of all other fields. */
export const entryHash = (entry: Omit<AuditRow, 'hash'>): string =>
  createHash('sha256')
    .update(hashedText(unhashed(entry)))
    .digest('hex')

/**
 * Appends entries to a chain. The chain's row stays locked until the transaction ends, so entries are in commit order. A
 * trigger of the insert moves the head, because the role of the hosts may not change `audit_chains` (0001_rules.sql).
 */
export const appendAll = async (tx: Tx, chainId: string, facts: readonly Omit<AuditFacts, 'chainId'>[]): Promise<void> => {
  if (facts.length === 0) return
  const { rows } = await tx.execute<Head>(sql`select sequence, hash from lock_audit_chain(${chainId})`)
  let [head] = rows
  if (!head) throw new Error(`there is no audit chain ${chainId}`)
  const entries: AuditRow[] = []
  for (const one of facts) {
    const entry: Omit<AuditRow, 'hash'> = {
      ...one,
      chainId,
      id: nextId(one.occurredAt),
      sequence: head.sequence + 1,
      prevHash: head.hash,
    }
    head = { sequence: entry.sequence, hash: entryHash(entry) }
    entries.push({ ...entry, hash: head.hash })
  }
  await tx.insert(auditEntries).values(entries)
}

export const append = (tx: Tx, { chainId, ...facts }: AuditFacts): Promise<void> => appendAll(tx, chainId, [facts])

export type ChainCheck = { whole: true; head: number } | { whole: false; firstBad: number }

const PAGE = 500

/**
 * Entries that a request walks at most. Longer chains are walked by the first process (watch.ts), and a request continues from
 * there.
 */
export const WALKED_AT_ONCE = 2000

/** Walks from a trusted entry to the head of the chain in pages; no entry may follow the head. */
const walk = async (tx: Tx, chain: typeof auditChains.$inferSelect, { sequence, hash }: Head): Promise<ChainCheck> => {
  for (;;) {
    const rows = await tx
      .select()
      .from(auditEntries)
      .where(
        and(eq(auditEntries.chainId, chain.id), gt(auditEntries.sequence, sequence), lte(auditEntries.sequence, chain.sequence)),
      )
      .orderBy(asc(auditEntries.sequence))
      .limit(PAGE)
    for (const row of rows) {
      if (row.sequence !== sequence + 1 || row.prevHash !== hash || row.hash !== entryHash(row))
        return { whole: false, firstBad: sequence + 1 }
      sequence = row.sequence
      hash = row.hash
    }
    if (rows.length < PAGE) break
  }
  if (sequence !== chain.sequence || hash !== chain.hash) return { whole: false, firstBad: sequence + 1 }
  // One statement reads entries and head at the same moment: entries appended meanwhile are no finding.
  const [beyond] = await tx
    .select({ sequence: auditEntries.sequence })
    .from(auditEntries)
    .innerJoin(auditChains, eq(auditChains.id, auditEntries.chainId))
    .where(and(eq(auditEntries.chainId, chain.id), gt(auditEntries.sequence, auditChains.sequence)))
    .orderBy(asc(auditEntries.sequence))
    .limit(1)
  return beyond ? { whole: false, firstBad: beyond.sequence } : { whole: true, head: sequence }
}

/**
 * Walks a chain from its checkpoint, or from a later entry that was verified before, and returns the first entry that was
 * changed, inserted, moved or removed (T-20).
 */
export const verify = async (tx: Tx, chainId: string, from?: Head): Promise<ChainCheck> => {
  const [chain] = await tx.select().from(auditChains).where(eq(auditChains.id, chainId))
  if (!chain) return { whole: true, head: 0 }
  const verdict = await walk(tx, chain, from ?? { sequence: chain.checkpointSequence, hash: chain.checkpointHash })
  if (verdict.whole) return verdict
  const [now] = await tx.select().from(auditChains).where(eq(auditChains.id, chainId))
  // Retention has removed entries during the walk.
  return now && now.checkpointSequence > chain.checkpointSequence ? verify(tx, chainId) : verdict
}
