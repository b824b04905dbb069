import { and, asc, count, desc, eq, gt, gte, ilike, lte, or, type SQL, sql } from 'drizzle-orm'
import type { AuditFilters, projectAuditLog } from '../../../contract/audit'
import type { QueryOf } from '../../../contract/endpoint'
import { exactTotal } from '../../../contract/limits'
import type { AuditRow } from '../../core/audit/to-json'
import { auditEntries } from '../../core/database/schema/audit-entries.partitioned'
import type { Tx } from '../../core/database/tx'
import { containing, paging, limitTotal } from '../../core/http/paging'

/** The entries of a chain, or those of one project in it. */
export type LogKey = { chainId: string; projectId: string | null }

const inLog = ({ chainId, projectId }: LogKey): SQL | undefined =>
  and(eq(auditEntries.chainId, chainId), projectId === null ? undefined : eq(auditEntries.projectId, projectId))

/** The conditions of a filter. */
const matching = (query: AuditFilters): SQL | undefined => {
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

/** A page of a log, newest first. */
export const listEntries = async (tx: Tx, log: LogKey, query: QueryOf<typeof projectAuditLog>) => {
  const { sequence } = auditEntries
  const page = paging(query, { sequence, occurred_at: sequence }, auditEntries.id, '-sequence')
  const where = and(inLog(log), matching(query))
  const found = await tx
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
  const { rows, next_cursor } = page.cut(found, (row) => [row.sequence, row.id])
  return { rows, next_cursor, total: limitTotal(total?.n ?? 0) }
}

type Part = { after: number; until: number; most: number }

/** Entries of a log in their order, after one entry and up to another one. */
export const listEntriesAfter = (tx: Tx, log: LogKey, filters: AuditFilters, part: Part): Promise<AuditRow[]> => {
  const where = and(inLog(log), matching(filters), lte(auditEntries.sequence, part.until))
  return tx
    .select()
    .from(auditEntries)
    .where(and(where, gt(auditEntries.sequence, part.after)))
    .orderBy(asc(auditEntries.sequence))
    .limit(part.most)
}

/** The entries of a whole chain in their order, after one of them. */
export const listChainAfter = (tx: Tx, chainId: string, after: number, most: number): Promise<AuditRow[]> =>
  tx
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.chainId, chainId), gt(auditEntries.sequence, after)))
    .orderBy(asc(auditEntries.sequence))
    .limit(most)

/** Action and actor of the newest entries of a log. */
export const listNewestFacts = (tx: Tx, log: LogKey, most: number) =>
  tx
    .select({ action: auditEntries.action, actor: auditEntries.actor })
    .from(auditEntries)
    .where(inLog(log))
    .orderBy(desc(auditEntries.sequence))
    .limit(most)

/** The sequence of the first entry of a chain that is still there; 0 if it has none. */
export const findFirstSequence = async (tx: Tx, chainId: string): Promise<number> => {
  const [first] = await tx
    .select({ sequence: auditEntries.sequence })
    .from(auditEntries)
    .where(eq(auditEntries.chainId, chainId))
    .orderBy(asc(auditEntries.sequence))
    .limit(1)
  return first?.sequence ?? 0
}
