import { createHash } from 'node:crypto'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { ulid } from 'ulid'
import { hashedText } from '../../contract/audit'
import { auditChains } from '../database/schema/audit'
import { auditEntries } from '../database/schema/audit-entries.partitioned'
import type { Tx } from '../database/tx'
import { type AuditRow, unhashed } from './wire'

/** The `prev_hash` of the first entry of a chain. */
export const genesis = '0'.repeat(64)

/** An entry's place in its chain and its hash. */
export type Head = { sequence: number; hash: string }

export type AuditFacts = Omit<AuditRow, 'id' | 'sequence' | 'prevHash' | 'hash'>

/** product.md 4.4: SHA-256 of the hash before and the canonical JSON of everything else. */
export const entryHash = (entry: Omit<AuditRow, 'hash'>): string =>
  createHash('sha256')
    .update(hashedText(unhashed(entry)))
    .digest('hex')

/**
 * Appends one entry to its chain, whose row stays locked until the transaction ends: entries stand in commit order. The insert moves
 * the head of the chain by a trigger, because the role of the hosts may not change `audit_chains` (rules/audit.sql).
 */
export const append = async (tx: Tx, facts: AuditFacts): Promise<void> => {
  const { rows } = await tx.execute<Head>(sql`select sequence, hash from lock_audit_chain(${facts.chainId})`)
  const [head] = rows
  if (!head) throw new Error(`the audit chain ${facts.chainId} is gone`)
  const entry = { ...facts, id: ulid(facts.occurredAt.getTime()), sequence: head.sequence + 1, prevHash: head.hash }
  await tx.insert(auditEntries).values({ ...entry, hash: entryHash(entry) })
}

export type Verdict = { whole: true; head: number } | { whole: false; firstBad: number }

const PAGE = 500

/** Walks a chain from its checkpoint and names the first entry that was changed, put in, moved or taken out (T-20). */
export const verify = async (tx: Tx, chainId: string): Promise<Verdict> => {
  const [chain] = await tx.select().from(auditChains).where(eq(auditChains.id, chainId))
  if (!chain) return { whole: true, head: 0 }
  let sequence = chain.checkpointSequence
  let hash = chain.checkpointHash
  for (;;) {
    const rows = await tx
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.chainId, chainId), gt(auditEntries.sequence, sequence)))
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
  return sequence === chain.sequence && hash === chain.hash
    ? { whole: true, head: sequence }
    : { whole: false, firstBad: sequence + 1 }
}
