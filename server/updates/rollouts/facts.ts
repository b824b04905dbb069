import type { UpdateState } from '../../../contract/device/update-events'
import type { Device } from '../../../contract/devices'
import type { Release } from '../../../contract/releases'
import type { MaintenanceWindow } from '../../../contract/rollout-plans'
import type { RolloutPhase } from '../../../machines/rollout/rollout.machine'

/** The facts of the offer decision, loaded before it: the decision itself reads nothing and uses no clock. */
export type DeviceFacts = {
  lifecycle: Device['lifecycle']
  deleted: boolean
  updatesEnabled: boolean
  pausedUntil: Date | null
  quarantine: { until: Date; releaseId: string | null } | null
  hardwareModel: string
  /**
   * `mayReturnTo`: the return list in the manifest of the installed release; null if it has no list or the release is not
   * known.
   */
  installed: { releaseId: string | null; version: number; mayReturnTo: readonly number[] | null } | null
  rollbackVersion: number | null
  trustedKeys: readonly string[]
  timezone: string | null
}

export type ReleaseFacts = {
  id: string
  version: number
  state: Release['state']
  hardwareModels: readonly string[]
  minInstalledVersion: number | null
  rollbackVersion: number | null
  /** Versions that may be downgraded to this one, from the signed manifest. */
  allowDowngradeFrom: readonly number[]
  expiresAt: Date | null
  /** Fingerprints of the keys that signed it and are not revoked. */
  signedBy: readonly string[]
  /** Its files that are missing or damaged in the storage. */
  missing: readonly string[]
}

export type RolloutFacts = {
  targets: boolean
  allowsDowngrade: boolean
  phase: RolloutPhase
  stateReason: string | null
  currentWave: number
  window: MaintenanceWindow | null
  retries: number
  startAt: Date | null
  maxConcurrent: number
  active: number
  ratePerMinute: number | null
  startedLastMinute: number
}

type UpdateFacts = { wave: number; state: UpdateState; attempt: number; notBefore: Date | null }

/** Facts that do not depend on time, and those that do; a preview has only the former. */
export type StaticFacts = {
  now: Date
  device: DeviceFacts
  project: { active: boolean }
  release: ReleaseFacts
  rollout: Pick<RolloutFacts, 'targets' | 'allowsDowngrade'>
}
export type Facts = Omit<StaticFacts, 'rollout'> & { rollout: RolloutFacts; update: UpdateFacts }
