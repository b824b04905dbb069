import { rolloutStateOf } from '../../../machines/rollout/rollout.machine'
import type { Tx } from '../../core/database/tx'
import { toRolloutCounts } from './rollout-counts'
import { countDeviceStates } from './rollout-counts.repository'
import { findNewestRollouts } from './summaries.repository'
import type { RolloutSummary } from './to-json'

/** The progress of each release: its newest rollout that was not denied, and its devices. */
export const summariesOf = async (tx: Tx, releaseIds: readonly string[]): Promise<Map<string, RolloutSummary>> => {
  if (releaseIds.length === 0) return new Map()
  const newest = await findNewestRollouts(tx, releaseIds)
  const latest = new Map(newest.map((row) => [row.releaseId, row]))
  const counted = await countDeviceStates(
    tx,
    newest.map(({ id }) => id),
  )
  return new Map(
    [...latest].map(([releaseId, row]) => {
      const counts = toRolloutCounts(counted.filter(({ rolloutId }) => rolloutId === row.id))
      return [releaseId, { active_rollout_id: row.endedAt ? null : row.id, state: rolloutStateOf(row.phase), ...counts }]
    }),
  )
}
