import { and, asc, count, eq, gte, ilike, lte, or, type SQL, sql } from 'drizzle-orm'
import type { AuditEntry, projectAuditLog } from '../../contract/audit'
import type { QueryOf } from '../../contract/endpoint'
import { exactTotal } from '../../contract/limits'
import { auditChains } from '../database/schema/audit'
import { auditEntries } from '../database/schema/audit-entries.partitioned'
import type { Tx } from '../database/tx'
import { containing, paging, toldTotal } from '../http/page'
import { stamp } from '../http/time'
import { type AuditRow, genesis, verify } from './chain'

type Query = QueryOf<typeof projectAuditLog>

// Beyond this a chain is walked by the job that anchors it, not by everyone who looks at the page.
const WALKED_AT_ONCE = 2000

const wire = (row: AuditRow): AuditEntry => ({
  id: row.id,
  occurred_at: stamp(row.occurredAt),
  sequence: row.sequence,
  action: row.action,
  result: row.result,
  actor: row.actor,
  credential: row.credential,
  source_ip: row.sourceIp,
  user_agent: row.userAgent,
  request_id: row.requestId,
  project_id: row.projectId,
  target: row.target,
  changes: row.changes,
  reason: row.reason,
  prev_hash: row.prevHash,
  hash: row.hash,
})

const matching = (query: Query): SQL | undefined => {
  const q = query.q ? containing(query.q) : undefined
  return and(
    query.from === undefined ? undefined : gte(auditEntries.occurredAt, new Date(query.from)),
    query.to === undefined ? undefined : lte(auditEntries.occurredAt, new Date(query.to)),
    query.action === undefined ? undefined : eq(auditEntries.action, query.action),
    query.result === undefined ? undefined : eq(auditEntries.result, query.result),
    query.actor_id === undefined ? undefined : sql`${auditEntries.actor} ->> 'id' = ${query.actor_id}`,
    query.target_kind === undefined ? undefined : sql`${auditEntries.target} ->> 'kind' = ${query.target_kind}`,
    query.target_id === undefined ? undefined : sql`${auditEntries.target} ->> 'id' = ${query.target_id}`,
    q === undefined
      ? undefined
      : or(
          ilike(auditEntries.action, q),
          sql`${auditEntries.target} ->> 'name' ilike ${q}`,
          sql`${auditEntries.actor} ->> 'name' ilike ${q}`,
          sql`${auditEntries.actor} ->> 'email' ilike ${q}`,
        ),
  )
}

type Verified = 'yes' | 'no' | 'unknown'
type Shown = { head_sequence: number; head_hash: string; verified: Verified; first_sequence: number }

const chainOf = async (tx: Tx, id: string): Promise<Shown> => {
  const [chain] = await tx.select().from(auditChains).where(eq(auditChains.id, id))
  if (!chain) return { head_sequence: 0, head_hash: genesis, verified: 'yes', first_sequence: 0 }
  const [first] = await tx
    .select({ sequence: auditEntries.sequence })
    .from(auditEntries)
    .where(eq(auditEntries.chainId, id))
    .orderBy(asc(auditEntries.sequence))
    .limit(1)
  const walk = chain.sequence - chain.checkpointSequence <= WALKED_AT_ONCE
  const verified: Verified = walk ? ((await verify(tx, id)).whole ? 'yes' : 'no') : 'unknown'
  return {
    head_sequence: chain.sequence,
    head_hash: chain.hash,
    verified,
    first_sequence: first?.sequence ?? 0,
  }
}

/** A page of one chain, newest first; of one project where `projectId` says so. */
export const listEntries = async (tx: Tx, chainId: string, projectId: string | null, query: Query) => {
  const { sequence } = auditEntries
  const page = paging(query, { sequence, occurred_at: sequence }, auditEntries.id, '-sequence')
  const where = and(
    eq(auditEntries.chainId, chainId),
    projectId === null ? undefined : eq(auditEntries.projectId, projectId),
    matching(query),
  )
  const rows = await tx
    .select()
    .from(auditEntries)
    .where(and(where, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const some = tx
    .select({ one: sql`1` })
    .from(auditEntries)
    .where(where)
    .limit(exactTotal + 1)
    .as('some')
  const [total] = await tx.select({ n: count() }).from(some)
  const cut = page.cut(rows, (row) => [row.sequence, row.id])
  return {
    entries: cut.rows.map(wire),
    next_cursor: cut.next_cursor,
    total: toldTotal(total?.n ?? 0),
    chain: await chainOf(tx, chainId),
  }
}
