import { type Installable, installables, installsAttribute } from '../../../../contract/device/installs'
import { boardsOf, type HardwareModel } from '../../../../contract/fleet/hardware-models'
import { boardAttribute } from '../../../../contract/ddi/model-client'
import type { DeviceRow } from '../../../fleet/devices/repository'
import type { RolloutRow } from '../rows/rollout-rows.repository'
import type { Signed } from '../../releases/signing/envelope'
import type { DeviceFacts, Load, ReleaseFacts, RolloutFacts } from './decision-facts'

/** The return list of each release by its id. */
export type ReturnLists = ReadonlyMap<string, readonly number[] | null>

const installedOf = (row: DeviceRow, lists: ReturnLists): DeviceFacts['installed'] => {
  const { installedReleaseId: releaseId, installedVersion: version, installedDisplayVersion: displayVersion } = row
  const mayReturnTo = (releaseId === null ? null : lists.get(releaseId)) ?? null
  return version === null ? null : { releaseId, version, displayVersion, mayReturnTo }
}

const boardOf = ({ protocol, attributes, hardwareModel }: DeviceRow, models: readonly HardwareModel[]): DeviceFacts['board'] => {
  const reported = attributes[boardAttribute]
  if (protocol !== 'ddi' || reported === undefined || reported === '') return null
  return { reported: String(reported), fitting: boardsOf(models, hardwareModel) }
}

const installsOf = ({ protocol, attributes }: DeviceRow): Installable | null =>
  protocol === 'ddi' ? null : (installables.find((one) => one === attributes[installsAttribute]) ?? null)

/** `models`: those of the project of the device. */
export const deviceFacts = (row: DeviceRow, lists: ReturnLists, models: readonly HardwareModel[]): DeviceFacts => ({
  protocol: row.protocol,
  lifecycle: row.lifecycle,
  deleted: row.deletedAt !== null,
  updatesEnabled: row.updatesEnabled,
  pausedUntil: row.updatesPausedUntil,
  quarantine: row.quarantineUntil && { until: row.quarantineUntil, releaseId: row.quarantineReleaseId },
  hardwareModel: row.hardwareModel,
  board: boardOf(row, models),
  installs: installsOf(row),
  installed: installedOf(row, lists),
  rollbackVersion: row.rollbackVersion,
  trustedKeys: row.trustedKeys,
  timezone: row.timezone,
})

/** A way back waits for the end of a pause or quarantine: the device would keep the release that is rolled back. */
export const withoutWaits = (facts: DeviceFacts): DeviceFacts => ({ ...facts, pausedUntil: null, quarantine: null })

/** A device that has a row in a rollout is targeted by it. */
export const rolloutFacts = (row: RolloutRow, load: Load): RolloutFacts => ({
  ...load,
  name: row.name,
  includesDevice: true,
  allowsDowngrade: row.allowDowngrade !== null,
  phase: row.phase,
  stateReason: row.stateReason,
  currentWave: row.currentWave,
  window: row.window,
  retries: row.rollsBackId === null ? row.retries : null,
  startAt: row.startAt,
})

export const releaseFacts = ({ release, signedBy, missing }: Signed): ReleaseFacts => ({
  ...release,
  signedBy,
  unavailableFiles: missing,
})
