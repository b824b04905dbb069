import type { devices } from '../database/schema/devices'
import type { RolloutRow } from '../delivery/rollout-moves'
import type { Signed } from '../delivery/signed'
import type { DeviceFacts, ReleaseFacts, RolloutFacts } from './facts'

export type DeviceRow = typeof devices.$inferSelect

export const deviceFacts = (row: DeviceRow): DeviceFacts => ({
  lifecycle: row.lifecycle,
  deleted: row.deletedAt !== null,
  updatesEnabled: row.updatesEnabled,
  pausedUntil: row.updatesPausedUntil,
  quarantine: row.quarantineUntil && { until: row.quarantineUntil, releaseId: row.quarantineReleaseId },
  hardwareModel: row.hardwareModel,
  installed: row.installedVersion === null ? null : { releaseId: row.installedReleaseId, version: row.installedVersion },
  rollbackVersion: row.rollbackVersion,
  trustedKeys: row.trustedKeys,
  timezone: row.timezone,
})

type Load = Pick<RolloutFacts, 'active' | 'startedLastMinute'>

/** A device that has a row in a rollout is targeted by it. */
export const rolloutFacts = (row: RolloutRow, load: Load): RolloutFacts => ({
  ...load,
  targets: true,
  allowsDowngrade: row.allowDowngrade !== null,
  phase: row.phase,
  stateReason: row.stateReason,
  currentWave: row.currentWave,
  window: row.window,
  retries: row.retries,
  startAt: row.startAt,
  maxConcurrent: row.maxConcurrent,
  ratePerMinute: row.startRatePerMin,
})

export const releaseFacts = ({ release, signedBy }: Signed): ReleaseFacts => ({ ...release, signedBy })
