import { and, asc, count, desc, eq, gte, ilike, lte, or, type SQL, sql } from 'drizzle-orm'
import type { AuditChain, AuditFilters, projectAuditLog } from '../../../contract/audit'
import type { AnswerOf, QueryOf } from '../../../contract/endpoint'
import { exactTotal } from '../../../contract/limits'
import { auditEntries } from '../../core/database/schema/audit-entries.partitioned'
import type { Tx } from '../../core/database/tx'
import { containing, paging, toldTotal } from '../../core/http/paging'
import { formatTimestamp } from '../../core/timestamps'
import { findAnchors } from '../../core/audit/anchor'
import { genesis, type Head, type Verdict, verify, WALKED_AT_ONCE } from '../../core/audit/chain'
import { type Chain, type Comparison, compare, findChain } from './compare'
import { auditEntryToJson } from '../../core/audit/to-json'

type Query = QueryOf<typeof projectAuditLog>

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

/** The current end of a chain. */
export const headOf = async (tx: Tx, id: string): Promise<Head> => {
  const chain = await findChain(tx, id)
  return { sequence: chain?.sequence ?? 0, hash: chain?.hash ?? genesis }
}

const stampText = (text: string | undefined): string | null => (text === undefined ? null : formatTimestamp(new Date(text)))

const anchorToJson = ({ anchor, mismatch }: Comparison): AuditChain['anchor'] => ({
  state: mismatch !== null ? 'mismatch' : anchor ? 'match' : 'none',
  mismatch,
  sequence: anchor?.sequence ?? null,
  anchored_at: stampText(anchor?.at),
  restored_at: stampText(anchor?.restored?.at),
  restored_from: anchor?.restored?.sequence ?? null,
})

/** Walks a short chain completely, a long one from the end of the last complete walk; undefined if there was none. */
const verdictOf = async (tx: Tx, chain: Chain, { anchor, mismatch }: Comparison): Promise<Verdict | undefined> => {
  if (chain.sequence - chain.checkpointSequence <= WALKED_AT_ONCE) return verify(tx, chain.id)
  if (!anchor || mismatch !== null || anchor.walked_at === null) return undefined
  if (anchor.first_bad !== null) return { whole: false, firstBad: anchor.first_bad }
  if (anchor.sequence < chain.checkpointSequence || chain.sequence - anchor.sequence > WALKED_AT_ONCE) return undefined
  return verify(tx, chain.id, anchor)
}

const chainOf = async (tx: Tx, id: string, dataDirectory: string): Promise<AuditChain> => {
  const anchors = await findAnchors(dataDirectory)
  const comparison: Comparison = anchors ? await compare(tx, id, anchors) : { anchor: undefined, mismatch: null, firstBad: null }
  const chain = await findChain(tx, id)
  const [first] = await tx
    .select({ sequence: auditEntries.sequence })
    .from(auditEntries)
    .where(eq(auditEntries.chainId, id))
    .orderBy(asc(auditEntries.sequence))
    .limit(1)
  const verdict = chain ? await verdictOf(tx, chain, comparison) : ({ whole: true, head: 0 } as const)
  const firstBad = verdict?.whole === false ? verdict.firstBad : comparison.firstBad
  const isWrong = verdict?.whole === false || comparison.mismatch !== null
  return {
    head_sequence: chain?.sequence ?? 0,
    head_hash: chain?.hash ?? genesis,
    verified: isWrong ? 'no' : verdict === undefined ? 'unknown' : 'yes',
    first_sequence: first?.sequence ?? 0,
    first_bad: firstBad,
    anchor: anchorToJson(comparison),
  }
}

type Recent = AnswerOf<typeof projectAuditLog>['recent']

// Values for filter menus are read from the newest entries only: counting the log of years would take too long.
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
    // The newest name of an actor who has had several.
    const who = actors.get(id) ?? { id, kind, name, count: 0 }
    actors.set(id, { ...who, count: who.count + 1 })
  }
  const most = (a: { count: number }, b: { count: number }) => b.count - a.count
  return { actions: [...actions.values()].toSorted(most), actors: [...actors.values()].toSorted(most).slice(0, 50) }
}

/** The entries of a chain, or those of one project in it. */
export const scopeOf = (chainId: string, projectId: string | null): SQL | undefined =>
  and(eq(auditEntries.chainId, chainId), projectId === null ? undefined : eq(auditEntries.projectId, projectId))

type Listed = { chainId: string; projectId: string | null; dataDirectory: string }

/** A page of one chain, newest first; of one project where `projectId` says so. */
export const listEntries = async (tx: Tx, { chainId, projectId, dataDirectory }: Listed, query: Query) => {
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
    entries: cut.rows.map(auditEntryToJson),
    next_cursor: cut.next_cursor,
    total: toldTotal(total?.n ?? 0),
    chain: await chainOf(tx, chainId, dataDirectory),
    recent: query.cursor === undefined ? await recentOf(tx, scope) : { actions: [], actors: [] },
  }
}
