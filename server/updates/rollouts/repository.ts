import { and, asc, count, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { QueryOf } from '../../../contract/core/endpoint'
import { exactTotal } from '../../../contract/core/limits'
import { allows, type Grants } from '../../../contract/core/permissions'
import type { projectRollouts, Rollout } from '../../../contract/updates/rollouts'
import type { RolloutPhase } from '../../../machines/rollout/rollout.machine'
import { releases } from '../schema/releases'
import { rollouts, rolloutWaves } from '../schema/rollouts'
import { textList } from '../../core/database/text-list'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { ofProject, ofRelease, type RolloutRow } from './rows/rollout-rows.repository'
import { type ListQuery, paging, limitTotal } from '../../core/http/paging'
import { notFound } from '../../core/http/refuse'
import { countLeft } from './run/bulk-changes.repository'
import { countStates } from './offer/counts.repository'
import { listWaysBack } from './steps/roll-back.repository'
import { rolloutToJson } from './to-json'

const withParts = async (tx: Tx, rows: readonly RolloutRow[]): Promise<Rollout[]> => {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const waves = await tx.select().from(rolloutWaves).where(inArray(rolloutWaves.rolloutId, ids)).orderBy(asc(rolloutWaves.n))
  const counted = await countStates(tx, ids)
  const of = { id: releases.id, name: releases.name, version: releases.version, displayVersion: releases.displayVersion }
  const found = await tx
    .select(of)
    .from(releases)
    .where(inArray(releases.id, [...new Set(rows.map(({ releaseId }) => releaseId))]))
  const byId = new Map(found.map((release) => [release.id, release]))
  const rolledBack = rows.filter(({ phase }) => phase === 'rolling_back' || phase === 'rolled_back')
  const waysBack = await listWaysBack(
    tx,
    rolledBack.map(({ id }) => id),
  )
  const left = new Map<string, number>()
  for (const { id, bulkChanges } of rows) if (bulkChanges[0]) left.set(id, await countLeft(tx, id, bulkChanges[0]))
  return rows.map((row) =>
    rolloutToJson({
      row,
      release: byId.get(row.releaseId) ?? notFound(),
      waves: waves.filter(({ rolloutId }) => rolloutId === row.id),
      counted: counted.filter(({ rolloutId }) => rolloutId === row.id),
      waysBack: waysBack.filter(({ rollsBackId }) => rollsBackId === row.id),
      left: left.get(row.id) ?? 0,
    }),
  )
}

/** One rollout as JSON. */
export const rolloutById = async (tx: Tx, id: string): Promise<Rollout> => {
  const [rollout] = await withParts(tx, await tx.select().from(rollouts).where(eq(rollouts.id, id)))
  return rollout ?? notFound()
}

const phasesOf = (state: Rollout['state']): RolloutPhase[] => (state === 'running' ? ['filling', 'soaking'] : [state])

type Query = ListQuery & { state?: Rollout['state'] }

/** One page of rollouts, newest first; `urgency` is a further sort key. */
const listPage = async (tx: Tx, where: SQL | undefined, query: Query, urgency?: SQL<string>) => {
  const columns = { created_at: rollouts.createdAt, name: rollouts.name, ...(urgency && { urgency }) }
  const page = paging(query, columns, rollouts.id, '-created_at')
  const named = query.q ? containsText(rollouts.name, query.q) : undefined
  const matching = and(where, named, query.state && inArray(rollouts.phase, phasesOf(query.state)))
  const rows = await tx
    .select({ row: rollouts, urgency: urgency ?? sql<string>`''` })
    .from(rollouts)
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const some = tx
    .select({ one: sql`1`.as('one') })
    .from(rollouts)
    .where(matching)
    .limit(exactTotal + 1)
    .as('some')
  const [total] = await tx.select({ n: count() }).from(some)
  const sort = (query.sort ?? '').replace(/^-/, '')
  const keyOf = (one: (typeof rows)[number]) =>
    sort === 'urgency' ? one.urgency : sort === 'name' ? one.row.name : one.row.createdAt.toISOString()
  const cut = page.cut(rows, (one) => [keyOf(one), one.row.id])
  const shown = cut.rows.map(({ row }) => row)
  return { rollouts: await withParts(tx, shown), next_cursor: cut.next_cursor, total: limitTotal(total?.n ?? 0) }
}

/** The rollouts of a release, newest first. */
export const listReleaseRollouts = (tx: Tx, releaseId: string, query: Query = {}) => listPage(tx, ofRelease(releaseId), query)

/** Who reads the list: which rollouts wait for them depends on what they may do. */
type Reader = { id: string; grants: Grants }

/** Nothing continues before somebody who manages releases acts. A scheduled one has a reason only if it could not start. */
const waitsForManager = sql`(${rollouts.phase} in ${textList(['draft', 'waiting_for_user', 'paused', 'halted'])}
  or (${rollouts.phase} = 'scheduled' and ${rollouts.stateReason} is not null))`

/** Two-person rule: its author and who asked for approval cannot approve it. */
const waitsForApproval = (id: string) => sql`(${rollouts.phase} = 'pending_approval'
  and coalesce(${rollouts.createdBy} ->> 'id', '') <> ${id}
  and coalesce(${rollouts.approval} -> 'asked' ->> 'id', '') <> ${id})`

const waitsFor = ({ id, grants }: Reader): SQL => {
  const manages = allows(grants, ['project:manage_releases']) ? waitsForManager : sql`false`
  const approves = allows(grants, ['project:approve_releases']) ? waitsForApproval(id) : sql`false`
  return sql`(${manages} or ${approves})`
}

/** The rollouts of a project, newest first, with the size of each group for this reader. */
export const listProjectRollouts = async (
  tx: Tx,
  projectId: string,
  reader: Reader,
  { group, ...query }: NonNullable<QueryOf<typeof projectRollouts>> = {},
) => {
  const waiting = waitsFor(reader)
  const conditions = { waiting, open: isNull(rollouts.endedAt), ended: isNotNull(rollouts.endedAt) }
  const urgency = sql<string>`case when ${waiting} then '1' else '0' end || to_char(${rollouts.createdAt} at time zone 'UTC', 'YYYYMMDDHH24MISSUS')`
  const page = await listPage(tx, and(ofProject(projectId), group && conditions[group]), query, urgency)
  const sizeOf = (condition: SQL) => sql<number>`count(*) filter (where ${condition})`.mapWith(Number)
  const [groups] = await tx
    .select({ waiting: sizeOf(waiting), open: sizeOf(conditions.open), ended: sizeOf(conditions.ended) })
    .from(rollouts)
    .where(and(ofProject(projectId), query.q ? containsText(rollouts.name, query.q) : undefined))
  return { ...page, groups: groups ?? { waiting: 0, open: 0, ended: 0 } }
}
