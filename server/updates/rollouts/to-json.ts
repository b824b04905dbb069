import type { Rollout, WaveStatus } from '../../../contract/updates/rollouts'
import { rolloutStateOf } from '../../../machines/rollout/rollout.machine'
import type { ReleaseRow } from '../releases/repository'
import type { RolloutRow } from './rows/rollout-rows.repository'
import { entityToJson, formatTimestampOrNull } from '../../core/timestamps'
import { toRolloutCounts } from '../releases/rollout-counts'
import type { Counted } from './offer/counts'
import { share } from './run/gate'
import { groupBy } from './plan/group-by'
import type { WayBack } from './steps/roll-back.repository'
import type { WaveRow } from './plan/waves.repository'

export type RolloutWithDetails = {
  row: RolloutRow
  release: Pick<ReleaseRow, 'name' | 'version' | 'displayVersion'>
  waves: WaveRow[]
  counted: Counted[]
  waysBack: WayBack[]
  /** How many devices the running change has not reached yet. */
  left: number
}

const sumReturned = (ways: readonly WayBack[]) => ways.reduce((sum, { returned }) => sum + returned, 0)

const waysBackToJson = (waysBack: readonly WayBack[]): Rollout['ways_back'] =>
  [...groupBy(waysBack, ({ id }) => id)].flatMap(([rollout_id, ways]) =>
    ways.slice(0, 1).map(({ name, version, displayVersion }) => ({
      rollout_id,
      name,
      version,
      display_version: displayVersion,
      returned: sumReturned(ways),
    })),
  )

const waveToJson = (wave: RolloutWithDetails['waves'][number], { counted, waysBack }: RolloutWithDetails): WaveStatus => {
  const counts = toRolloutCounts(counted.filter((one) => one.wave === wave.n))
  const ended = counts.succeeded + counts.failed
  return {
    n: wave.n,
    state: wave.state,
    percent: wave.percent,
    tag: wave.tag,
    counts,
    returned: sumReturned(waysBack.filter(({ wave: n }) => n === wave.n)),
    // Not what the gate measured last: nothing is measured while the rollout stands still, but devices go on.
    success_percent: share(counts.succeeded, ended),
    failure_percent: share(counts.failed, ended),
    gate: wave.gate,
    counts_from: formatTimestampOrNull(wave.countsFrom),
    started_at: formatTimestampOrNull(wave.startedAt),
    soak_until: formatTimestampOrNull(wave.soakUntil),
  }
}

const approvalToJson = ({ approval }: RolloutRow): Rollout['approval'] =>
  approval && {
    asked_by: approval.asked.name,
    asked_by_id: approval.asked.id,
    decided_by: approval.decided?.name ?? null,
    decision: approval.decision,
    comment: approval.comment,
  }

const bulkChangeToJson = ({ bulkChanges: [change] }: RolloutRow, left: number): Rollout['bulk_change'] =>
  change ? { kind: change.kind, left } : null

export const rolloutToJson = (rollout: RolloutWithDetails): Rollout => {
  const { row, release, waves, counted, waysBack, left } = rollout
  return {
    ...entityToJson(row),
    project_id: row.projectId,
    release_id: row.releaseId,
    release_name: release.name,
    version: release.version,
    display_version: release.displayVersion,
    name: row.name,
    created_by: row.createdBy,
    rolls_back_id: row.rollsBackId,
    ways_back: waysBackToJson(waysBack),
    target: row.target,
    membership: row.membership,
    waves: waves.map((wave) => waveToJson(wave, rollout)),
    max_concurrent: row.maxConcurrent,
    start_rate_per_min: row.startRatePerMin,
    retries: row.retries,
    backoff: row.backoff,
    start_at: formatTimestampOrNull(row.startAt),
    end_at: formatTimestampOrNull(row.endAt),
    window: row.window,
    on_failure: row.onFailure,
    allow_downgrade: row.allowDowngrade,
    priority: row.priority,
    requires_approval: row.requiresApproval,
    approval: approvalToJson(row),
    state: rolloutStateOf(row.phase),
    state_reason: row.stateReason,
    // A device whose update had timed out may have succeeded since.
    with_failures: row.phase === 'completed' ? toRolloutCounts(counted).failed > 0 : row.withFailures,
    current_wave: row.currentWave,
    counts: toRolloutCounts(counted),
    bulk_change: bulkChangeToJson(row, left),
    preview_hash: row.previewHash,
    started_at: formatTimestampOrNull(row.startedAt),
    ended_at: formatTimestampOrNull(row.endedAt),
  }
}
