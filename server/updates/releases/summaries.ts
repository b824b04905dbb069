import { rolloutStateOf } from '../../../machines/rollout/rollout.machine'
import type { Tx } from '../../core/database/tx'
import { updateGroupOf } from '../../fleet/devices/update-group'
import { countDeviceStates, findNewestRollouts } from './summaries.repository'
import type { RolloutSummary } from './to-json'

const noDevices = { targeted: 0, succeeded: 0, failed: 0, running: 0, waiting: 0 }
const column = { waiting: 'waiting', in_progress: 'running', succeeded: 'succeeded', failed: 'failed', none: null } as const

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
      const sums = { ...noDevices }
      for (const { state, n } of counted.filter(({ rolloutId }) => rolloutId === row.id)) {
        const group = column[updateGroupOf(state)]
        sums.targeted += n
        if (group) sums[group] += n
      }
      return [releaseId, { active_rollout_id: row.endedAt ? null : row.id, state: rolloutStateOf(row.phase), ...sums }]
    }),
  )
}
