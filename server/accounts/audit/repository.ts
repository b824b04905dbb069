import { and, asc, count, eq, gt, gte, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { AuditFilters, projectAuditLog } from '../../../contract/accounts/audit'
import type { QueryOf } from '../../../contract/core/endpoint'
import { exactTotal } from '../../../contract/core/limits'
import type { AuditRow } from '../../core/audit/to-json'
import { auditEntries } from '../../core/database/schema/audit-entries.partitioned'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'
import { paging } from '../../core/http/paging'

/** The entries of a chain, or those of one project in it. */
export type LogKey = { chainId: string; projectId: string | null }

const inLog = ({ chainId, projectId }: LogKey): SQL | undefined =>
  and(eq(auditEntries.chainId, chainId), projectId === null ? undefined : eq(auditEntries.projectId, projectId))

// Of the planner's opinion that one of two rows is so: with the index of the value, a plain comparison would be counted twice.
const isSame = (...pairs: readonly (readonly [found: SQL, wanted: string])[]) => {
  const all = pairs.map(([found, wanted]) => sql`${found} = ${wanted}`)
  return sql`case when ${sql.join(all, sql` and `)} then true else false end`
}

/** As the indexes of filters have a value (migration 0036): with the log that an entry belongs to. */
const isOfTerm = ({ chainId, projectId }: LogKey, field: 'action' | 'actor' | 'kind' | 'target', found: SQL, wanted: string) => {
  // A target belongs to one project.
  const isOfChain = projectId === null || field === 'target'
  const log = isOfChain ? { column: auditEntries.chainId, id: chainId } : { column: auditEntries.projectId, id: projectId }
  const name = sql.raw(`'${field}'`)
  return sql`audit_term(${log.column}, ${name}, ${found}) = audit_term(${log.id}, ${name}, ${wanted})`
}

const hasTerm = (...[log, field, found, wanted]: Parameters<typeof isOfTerm>) =>
  and(isOfTerm(log, field, found, wanted), isSame([found, wanted]))

/** A target has one kind. */
const isTarget = (log: LogKey, { target_kind: kind, target_id: id }: AuditFilters): SQL | undefined => {
  const { target } = auditEntries
  const [foundKind, foundId] = [sql`(${target} ->> 'kind')`, sql`(${target} ->> 'id')`]
  if (id === undefined) return kind === undefined ? undefined : hasTerm(log, 'kind', foundKind, kind)
  if (kind === undefined) return hasTerm(log, 'target', foundId, id)
  return and(isOfTerm(log, 'target', foundId, id), isSame([foundId, id], [foundKind, kind]))
}

/** The conditions of a filter. */
const matching = (log: LogKey, query: AuditFilters): SQL | undefined => {
  const { q } = query
  const { action, actor, target } = auditEntries
  return and(
    query.from === undefined ? undefined : gte(auditEntries.occurredAt, new Date(query.from)),
    // Entries name whole seconds: all of the last one belongs to the range.
    query.to === undefined ? undefined : lt(auditEntries.occurredAt, secondsAfter(new Date(query.to), 1)),
    query.action === undefined ? undefined : hasTerm(log, 'action', sql`${action}`, query.action),
    query.result === undefined ? undefined : eq(auditEntries.result, query.result),
    query.actor_id === undefined ? undefined : hasTerm(log, 'actor', sql`(${actor} ->> 'id')`, query.actor_id),
    isTarget(log, query),
    q
      ? or(
          containsText(action, q),
          containsText(sql`${target} ->> 'name'`, q),
          containsText(sql`${actor} ->> 'name'`, q),
          containsText(sql`${actor} ->> 'email'`, q),
        )
      : undefined,
  )
}

/** By sequence or time. Entries of a range are found by their time, in another order than their sequence only within a second or so. */
const orderOf = (query: QueryOf<typeof projectAuditLog>) => {
  const { sequence, occurredAt } = auditEntries
  const isOfRange = query.from !== undefined || query.to !== undefined
  const page = paging(query, { sequence, occurred_at: occurredAt }, auditEntries.id, isOfRange ? '-occurred_at' : '-sequence')
  const isByTime = query.sort?.endsWith('occurred_at') ?? isOfRange
  return { page, isByTime }
}

/** A page of a log, newest first. */
export const listEntries = async (tx: Tx, log: LogKey, query: QueryOf<typeof projectAuditLog>) => {
  const { page, isByTime } = orderOf(query)
  const where = and(inLog(log), matching(log, query))
  const found = await tx
    .select()
    .from(auditEntries)
    .where(and(where, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  return page.cut(found, (row) => [isByTime ? row.occurredAt.toISOString() : row.sequence, row.id])
}

/** The entries of a filter, up to one more than a total is exact. */
export const countEntries = async (tx: Tx, log: LogKey, query: QueryOf<typeof projectAuditLog>): Promise<number> => {
  const some = tx
    .select({ one: sql`1`.as('one') })
    .from(auditEntries)
    .where(and(inLog(log), matching(log, query)))
    // Without an order the table is read, with the entries of other logs.
    .orderBy(...orderOf(query).page.order.slice(0, 1))
    .limit(exactTotal + 1)
    .as('some')
  const [total] = await tx.select({ n: count() }).from(some)
  return total?.n ?? 0
}

type Part = { after: number; until: number; most: number }

/** Entries of a log in their order, after one entry and up to another one. */
export const listEntriesAfter = (tx: Tx, log: LogKey, filters: AuditFilters, part: Part): Promise<AuditRow[]> => {
  const where = and(inLog(log), matching(log, filters), lte(auditEntries.sequence, part.until))
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
