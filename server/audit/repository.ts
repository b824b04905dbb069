import { and, asc, count, desc, eq, gte, ilike, lte, or, type SQL, sql } from 'drizzle-orm'
import type { AuditChain, AuditFilters, projectAuditLog } from '../../contract/audit'
import type { AnswerOf, QueryOf } from '../../contract/endpoint'
import { exactTotal } from '../../contract/limits'
import { auditChains } from '../database/schema/audit'
import { auditEntries } from '../database/schema/audit-entries.partitioned'
import type { Tx } from '../database/tx'
import { containing, paging, toldTotal } from '../http/page'
import { genesis, verify } from './chain'
import { wire } from './wire'

type Query = QueryOf<typeof projectAuditLog>

// Beyond this a chain is walked by the job that anchors it, not by everyone who looks at the page.
const WALKED_AT_ONCE = 2000

/** The conditions of a filter. */
export const matching = (query: AuditFilters): SQL | undefined => {
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

/** Where a chain ends by now. */
export const headOf = async (tx: Tx, id: string): Promise<{ sequence: number; hash: string }> => {
  const [chain] = await tx.select().from(auditChains).where(eq(auditChains.id, id))
  return { sequence: chain?.sequence ?? 0, hash: chain?.hash ?? genesis }
}

const chainOf = async (tx: Tx, id: string): Promise<AuditChain> => {
  const [chain] = await tx.select().from(auditChains).where(eq(auditChains.id, id))
  if (!chain) return { head_sequence: 0, head_hash: genesis, verified: 'yes', first_sequence: 0, first_bad: null }
  const [first] = await tx
    .select({ sequence: auditEntries.sequence })
    .from(auditEntries)
    .where(eq(auditEntries.chainId, id))
    .orderBy(asc(auditEntries.sequence))
    .limit(1)
  const walk = chain.sequence - chain.checkpointSequence <= WALKED_AT_ONCE
  const verdict = walk ? await verify(tx, id) : undefined
  return {
    head_sequence: chain.sequence,
    head_hash: chain.hash,
    verified: verdict === undefined ? 'unknown' : verdict.whole ? 'yes' : 'no',
    first_sequence: first?.sequence ?? 0,
    first_bad: verdict?.whole === false ? verdict.firstBad : null,
  }
}

type Recent = AnswerOf<typeof projectAuditLog>['recent']

// What one would narrow by, read off the newest entries: a log of years is not counted for a menu.
const LOOKED_AT = 1000

const recentOf = async (tx: Tx, where: SQL | undefined): Promise<Recent> => {
  const rows = await tx
    .select({ action: auditEntries.action, actor: auditEntries.actor })
    .from(auditEntries)
    .where(where)
    .orderBy(desc(auditEntries.sequence))
    .limit(LOOKED_AT)
  const actions = new Map<string, Recent['actions'][number]>()
  const actors = new Map<string, Recent['actors'][number]>()
  for (const { action, actor } of rows) {
    const seen = actions.get(action) ?? { action, count: 0 }
    actions.set(action, { ...seen, count: seen.count + 1 })
    if (actor.id === null) continue
    const { id, kind, name } = actor
    // The newest name of somebody who has had several.
    const who = actors.get(id) ?? { id, kind, name, count: 0 }
    actors.set(id, { ...who, count: who.count + 1 })
  }
  const most = (a: { count: number }, b: { count: number }) => b.count - a.count
  return { actions: [...actions.values()].toSorted(most), actors: [...actors.values()].toSorted(most).slice(0, 50) }
}

/** A chain, or what one project has in it. */
export const scopeOf = (chainId: string, projectId: string | null): SQL | undefined =>
  and(eq(auditEntries.chainId, chainId), projectId === null ? undefined : eq(auditEntries.projectId, projectId))

/** A page of one chain, newest first; of one project where `projectId` says so. */
export const listEntries = async (tx: Tx, chainId: string, projectId: string | null, query: Query) => {
  const { sequence } = auditEntries
  const page = paging(query, { sequence, occurred_at: sequence }, auditEntries.id, '-sequence')
  const scope = scopeOf(chainId, projectId)
  const where = and(scope, matching(query))
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
    recent: query.cursor === undefined ? await recentOf(tx, scope) : { actions: [], actors: [] },
  }
}
