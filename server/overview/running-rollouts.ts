import type { Overview } from '../../contract/overview/monitor'
import type { RolloutCounts } from '../../contract/updates/rollouts'
import { rolloutStateOf } from '../../machines/rollout/rollout.machine'
import type { Tx } from '../core/database/tx'
import { formatTimestampOrNull } from '../core/timestamps'
import { updateGroupOf } from '../fleet/devices/state/update-group'
import { countDeviceStates, type StateCount } from '../updates/releases/rollout-counts.repository'
import { listOpenRollouts, listWavesOfRollouts, type RolloutRow } from './rollouts.repository'

const nobody: RolloutCounts = { targeted: 0, succeeded: 0, failed: 0, running: 0, claimed: 0, waiting: 0 }
const column = { waiting: 'waiting', in_progress: 'running', succeeded: 'succeeded', failed: 'failed' } as const

const sumByRollout = (rows: readonly StateCount[]): Map<string, RolloutCounts> => {
  const counts = new Map<string, RolloutCounts>()
  for (const row of rows) {
    const sums = counts.get(row.rolloutId) ?? { ...nobody }
    const group = updateGroupOf(row.state)
    sums.targeted += row.n
    if (group !== 'none') sums[column[group]] += row.n
    if (row.state === 'claimed') sums.claimed += row.n
    counts.set(row.rolloutId, sums)
  }
  return counts
}

const failedPercent = ({ succeeded, failed }: RolloutCounts) =>
  succeeded + failed === 0 ? 0 : Math.round((1000 * failed) / (succeeded + failed)) / 10

const askers = ({ createdBy, approval }: Pick<RolloutRow, 'createdBy' | 'approval'>) => [
  ...new Set([createdBy, approval?.asked].flatMap((maker) => (maker ? [maker.name] : []))),
]

/** The rollouts that have not ended, newest first, with their failure rate and the limit of the open wave. */
export const readRunningRollouts = async (tx: Tx, projectId: string): Promise<Overview['rollouts']> => {
  const rows = await listOpenRollouts(tx, projectId)
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const counts = sumByRollout(await countDeviceStates(tx, ids))
  const waves = await listWavesOfRollouts(tx, ids)
  return rows.map((row) => {
    const own = waves.filter(({ rolloutId }) => rolloutId === row.id)
    const sums = counts.get(row.id) ?? nobody
    return {
      id: row.id,
      release_id: row.releaseId,
      name: row.name,
      state: rolloutStateOf(row.phase),
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
