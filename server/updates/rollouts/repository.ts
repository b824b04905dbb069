import { and, asc, count, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Rollout } from '../../../contract/rollouts'
import { exactTotal } from '../../../contract/limits'
import type { RolloutPhase } from '../../../machines/rollout/rollout.machine'
import { releases } from '../schema/releases'
import { rollouts, rolloutWaves } from '../schema/rollouts'
import type { Tx } from '../../core/database/tx'
import type { RolloutRow } from './rollout-rows.repository'
import { type ListQuery, paging, limitTotal } from '../../core/http/paging'
import { notFound } from '../../core/http/refuse'
import { countLeft } from './bulk-changes.repository'
import { countStates } from './rollout-devices.repository'
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
  const left = new Map<string, number>()
  for (const { id, bulkChanges } of rows) if (bulkChanges[0]) left.set(id, await countLeft(tx, id, bulkChanges[0]))
  return rows.map((row) =>
    rolloutToJson({
      row,
      release: byId.get(row.releaseId) ?? notFound(),
      waves: waves.filter(({ rolloutId }) => rolloutId === row.id),
      counted: counted.filter(({ rolloutId }) => rolloutId === row.id),
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

/** The rollouts of a project or of a release, newest first. */
export const listRollouts = async (tx: Tx, where: SQL, query: ListQuery & { state?: Rollout['state'] } = {}) => {
  const columns = { created_at: rollouts.createdAt, name: rollouts.name }
  const page = paging(query, columns, rollouts.id, '-created_at')
  const matching = and(where, query.state && inArray(rollouts.phase, phasesOf(query.state)))
  const rows = await tx
    .select()
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
  const byName = query.sort?.endsWith('name')
  const cut = page.cut(rows, (row) => [byName ? row.name : row.createdAt.toISOString(), row.id])
  return { rollouts: await withParts(tx, cut.rows), next_cursor: cut.next_cursor, total: limitTotal(total?.n ?? 0) }
}
