import type { Protocol } from '../../../../contract/ddi/confirm'
import type { Installable } from '../../../../contract/device/installs'
import type { UpdateState } from '../../../../contract/device/update-events'
import type { Device } from '../../../../contract/fleet/devices'
import type { Release } from '../../../../contract/updates/releases'
import type { MaintenanceWindow } from '../../../../contract/updates/rollout-plans'
import type { RolloutPhase } from '../../../../machines/rollout/rollout.machine'

// What the decision about an offer depends on. It is loaded first: the decision itself (decision.ts) reads nothing and has no clock.

export type DeviceFacts = {
  protocol: Protocol
  lifecycle: Device['lifecycle']
  deleted: boolean
  updatesEnabled: boolean
  pausedUntil: Date | null
  quarantine: { until: Date; releaseId: string | null } | null
  hardwareModel: string
  /** The board that a DDI client reports, and those that its model takes; null if it reports none. */
  board: { reported: string; fitting: readonly string[] } | null
  /** What our agent can install; null if it does not report it. */
  installs: Installable | null
  /** `mayReturnTo`: the return list of the installed release; null if it has none or the release is not known. */
  installed: {
    releaseId: string | null
    version: number
    displayVersion: string | null
    mayReturnTo: readonly number[] | null
  } | null
  rollbackVersion: number | null
  trustedKeys: readonly string[]
  timezone: string | null
}

export type ReleaseFacts = {
  id: string
  type: Release['type']
  version: number
  displayVersion: string | null
  state: Release['state']
  hardwareModels: readonly string[]
  minInstalledVersion: number | null
  rollbackVersion: number | null
  /** Versions that may be downgraded to this one, from the signed manifest. */
  allowDowngradeFrom: readonly number[]
  expiresAt: Date | null
  /** Fingerprints of the keys that signed it and are not revoked. */
  signedBy: readonly string[]
  /** The names of its files that are missing or damaged in the storage. */
  unavailableFiles: readonly string[]
}

export type RolloutFacts = {
  name: string
  /** Whether the target of the rollout includes the device. */
  includesDevice: boolean
  allowsDowngrade: boolean
  phase: RolloutPhase
  stateReason: string | null
  currentWave: number
  window: MaintenanceWindow | null
  /** Null without a limit. */
  retries: number | null
  startAt: Date | null
  maxConcurrent: number
  /** Device updates that hold a slot now. */
  activeUpdates: number
  ratePerMinute: number | null
  startedLastMinute: number
}

/** The use of the limits of a rollout, or of one of its shards, with those limits. */
export type Load = Pick<RolloutFacts, 'activeUpdates' | 'startedLastMinute' | 'maxConcurrent' | 'ratePerMinute'>

type UpdateFacts = { wave: number; state: UpdateState; attempt: number; notBefore: Date | null }

/** For checks 1 to 12. A preview makes only these: its rollout does not exist yet. */
export type EligibilityFacts = {
  now: Date
  device: DeviceFacts
  project: { active: boolean }
  release: ReleaseFacts
  rollout: Pick<RolloutFacts, 'includesDevice' | 'allowsDowngrade'>
}
/** For all 18 checks. */
export type OfferFacts = Omit<EligibilityFacts, 'rollout'> & { rollout: RolloutFacts; update: UpdateFacts }
