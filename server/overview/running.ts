import { and, count, desc, eq, inArray } from 'drizzle-orm'
import type { Overview } from '../../contract/monitor'
import type { RolloutCounts } from '../../contract/rollouts'
import { rolloutDevices, rollouts, rolloutWaves } from '../updates/schema/rollouts'
import type { Tx } from '../core/database/tx'
import { formatTimestampOrNull } from '../core/timestamps'
import { updateGroupOf } from '../fleet/devices/update-group'

const shown = 20
const open = [
  'draft',
  'pending_approval',
  'scheduled',
  'filling',
  'soaking',
  'waiting_for_user',
  'paused',
  'halted',
  'rolling_back',
  'cancelling',
] as const

const nobody: RolloutCounts = { targeted: 0, succeeded: 0, failed: 0, running: 0, waiting: 0 }
const column = { waiting: 'waiting', in_progress: 'running', succeeded: 'succeeded', failed: 'failed' } as const

const countsBy = async (tx: Tx, ids: readonly string[]): Promise<Map<string, RolloutCounts>> => {
  const { rolloutId, state } = rolloutDevices
  const rows = await tx
    .select({ rolloutId, state, n: count() })
    .from(rolloutDevices)
    .where(inArray(rolloutId, [...ids]))
    .groupBy(rolloutId, state)
  const counts = new Map<string, RolloutCounts>()
  for (const row of rows) {
    const sums = counts.get(row.rolloutId) ?? { ...nobody }
    const group = updateGroupOf[row.state]
    sums.targeted += row.n
    if (group !== 'none') sums[column[group]] += row.n
    counts.set(row.rolloutId, sums)
  }
  return counts
}

const failedPercent = ({ succeeded, failed }: RolloutCounts) =>
  succeeded + failed === 0 ? 0 : Math.round((1000 * failed) / (succeeded + failed)) / 10

const askers = ({ createdBy, approval }: Pick<typeof rollouts.$inferSelect, 'createdBy' | 'approval'>) => [
  ...new Set([createdBy, approval?.asked].flatMap((maker) => (maker ? [maker.name] : []))),
]

/** The rollouts that have not ended, newest first, with their failure rate and the limit of the open wave. */
export const runningRollouts = async (tx: Tx, projectId: string): Promise<Overview['rollouts']> => {
  const rows = await tx
    .select()
    .from(rollouts)
    .where(and(eq(rollouts.projectId, projectId), inArray(rollouts.phase, [...open])))
    .orderBy(desc(rollouts.createdAt), desc(rollouts.id))
    .limit(shown)
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const counts = await countsBy(tx, ids)
  const waves = await tx.select().from(rolloutWaves).where(inArray(rolloutWaves.rolloutId, ids))
  return rows.map((row) => {
    const own = waves.filter(({ rolloutId }) => rolloutId === row.id)
    const sums = counts.get(row.id) ?? nobody
    return {
      id: row.id,
      release_id: row.releaseId,
      name: row.name,
      state: row.phase === 'filling' || row.phase === 'soaking' ? 'running' : row.phase,
      current_wave: row.currentWave,
      waves: own.length,
      counts: sums,
      failed_percent: failedPercent(sums),
      start_at: formatTimestampOrNull(row.startAt),
      requires_approval: row.requiresApproval,
      asked_by: askers(row),
      gate_percent: own.find(({ n }) => n === row.currentWave)?.gate.max_failure_percent ?? null,
    }
  })
}
