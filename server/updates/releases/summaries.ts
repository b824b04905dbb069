import { and, count, desc, eq, inArray, not } from 'drizzle-orm'
import { rolloutStateOf } from '../../../machines/rollout/rollout.machine'
import { rolloutDevices, rollouts } from '../schema/rollouts'
import type { Tx } from '../../core/database/tx'
import { updateGroupOf } from '../../fleet/devices/update-group'
import type { Summary } from './to-json'

const nobody = { targeted: 0, succeeded: 0, failed: 0, running: 0, waiting: 0 }
const column = { waiting: 'waiting', in_progress: 'running', succeeded: 'succeeded', failed: 'failed', none: null } as const

/** The progress of each release: its newest rollout that was not denied, and its devices. */
export const summariesOf = async (tx: Tx, releaseIds: readonly string[]): Promise<Map<string, Summary>> => {
  if (releaseIds.length === 0) return new Map()
  const newest = await tx
    .selectDistinctOn([rollouts.releaseId])
    .from(rollouts)
    .where(and(inArray(rollouts.releaseId, [...releaseIds]), not(eq(rollouts.phase, 'denied'))))
    .orderBy(rollouts.releaseId, desc(rollouts.createdAt), desc(rollouts.id))
  const latest = new Map(newest.map((row) => [row.releaseId, row]))
  const ids = newest.map(({ id }) => id)
  const counted =
    ids.length === 0
      ? []
      : await tx
          .select({ rolloutId: rolloutDevices.rolloutId, state: rolloutDevices.state, n: count() })
          .from(rolloutDevices)
          .where(inArray(rolloutDevices.rolloutId, ids))
          .groupBy(rolloutDevices.rolloutId, rolloutDevices.state)
  return new Map(
    [...latest].map(([releaseId, row]) => {
      const sums = { ...nobody }
      for (const { state, n } of counted.filter(({ rolloutId }) => rolloutId === row.id)) {
        const group = column[updateGroupOf(state)]
        sums.targeted += n
        if (group) sums[group] += n
      }
      return [releaseId, { active_rollout_id: row.endedAt ? null : row.id, state: rolloutStateOf(row.phase), ...sums }]
    }),
  )
}
