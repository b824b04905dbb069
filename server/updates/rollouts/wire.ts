import type { Rollout, RolloutCounts, WaveStatus } from '../../../contract/rollouts'
import { rolloutStateOf } from '../../../machines/rollout/rollout.machine'
import type { releases } from '../schema/releases'
import type { rolloutWaves } from '../schema/rollouts'
import type { RolloutRow } from './transitions'
import { entityFacts, stampOrNull } from '../../core/timestamps'
import { type Counted, type Tally, tally } from './counts'

export type Whole = {
  row: RolloutRow
  release: Pick<typeof releases.$inferSelect, 'name' | 'version' | 'displayVersion'>
  waves: (typeof rolloutWaves.$inferSelect)[]
  counted: Counted[]
  /** How many devices the running change has not reached yet. */
  left: number
}

const countsWire = ({ targeted, succeeded, failed, running, waiting }: Tally): RolloutCounts => ({
  targeted,
  succeeded,
  failed,
  running,
  waiting,
})

const waveWire = (wave: Whole['waves'][number], counted: readonly Counted[]): WaveStatus => ({
  n: wave.n,
  state: wave.state,
  percent: wave.percent,
  counts: countsWire(tally(counted.filter((one) => one.wave === wave.n))),
  success_percent: wave.successPercent,
  failure_percent: wave.failurePercent,
  gate: wave.gate,
  counts_from: stampOrNull(wave.countsFrom),
  started_at: stampOrNull(wave.startedAt),
  soak_until: stampOrNull(wave.soakUntil),
})

const approvalWire = ({ approval }: RolloutRow): Rollout['approval'] =>
  approval && {
    asked_by: approval.asked.name,
    asked_by_id: approval.asked.id,
    decided_by: approval.decided?.name ?? null,
    decision: approval.decision,
    comment: approval.comment,
  }

const bulkChangeWire = ({ bulkChanges: [change] }: RolloutRow, left: number): Rollout['bulk_change'] =>
  change ? { kind: change.kind, left } : null

export const wire = ({ row, release, waves, counted, left }: Whole): Rollout => ({
  ...entityFacts(row),
  project_id: row.projectId,
  release_id: row.releaseId,
  release_name: release.name,
  version: release.version,
  display_version: release.displayVersion,
  name: row.name,
  created_by: row.createdBy,
  target: row.target,
  membership: row.membership,
  waves: waves.map((wave) => waveWire(wave, counted)),
  max_concurrent: row.maxConcurrent,
  start_rate_per_min: row.startRatePerMin,
  retries: row.retries,
  start_at: stampOrNull(row.startAt),
  end_at: stampOrNull(row.endAt),
  window: row.window,
  on_failure: row.onFailure,
  allow_downgrade: row.allowDowngrade,
  priority: row.priority,
  requires_approval: row.requiresApproval,
  approval: approvalWire(row),
  state: rolloutStateOf(row.phase),
  state_reason: row.stateReason,
  with_failures: row.withFailures,
  current_wave: row.currentWave,
  counts: countsWire(tally(counted)),
  bulk_change: bulkChangeWire(row, left),
  preview_hash: row.previewHash,
  started_at: stampOrNull(row.startedAt),
  ended_at: stampOrNull(row.endedAt),
})
