import { and, eq, inArray, lte, or } from 'drizzle-orm'
import { failureCodes, isRetryable } from '../../../contract/device/update-events'
import type { Tx } from '../../core/database/tx'
import type { DeviceRow } from '../../fleet/devices/repository'
import { devices } from '../../fleet/schema/devices'
import type { DeviceUpdateRow } from '../device-updates/repository'
import { rolloutDevices, rollouts } from '../schema/rollouts'
import { activeStates } from './counts'
import type { RolloutRow } from './rollout-rows.repository'

export type RunningUpdate = { update: DeviceUpdateRow } & Pick<DeviceRow, 'pollingIntervalS' | 'protocol' | 'hardwareModel'>

/** The running updates of a rollout, with the facts of the device that their time limits depend on. */
export const listRunningUpdates = (tx: Tx, rolloutId: string): Promise<RunningUpdate[]> =>
  tx
    .select({
      update: rolloutDevices,
      pollingIntervalS: devices.pollingIntervalS,
      protocol: devices.protocol,
      hardwareModel: devices.hardwareModel,
    })
    .from(rolloutDevices)
    .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
    .where(and(eq(rolloutDevices.rolloutId, rolloutId), inArray(rolloutDevices.state, activeStates)))

const isLost = and(
  eq(rolloutDevices.state, 'timed_out'),
  inArray(rolloutDevices.errorCode, ['timed_out_offered', 'timed_out_downloading']),
)
const mayPass = and(
  inArray(rolloutDevices.state, ['failed', 'timed_out']),
  inArray(rolloutDevices.errorCode, failureCodes.filter(isRetryable)),
)

/** Of updates joined with their rollout: they failed for a transient reason and have attempts left. */
export const mayBeRetried = and(lte(rolloutDevices.attempt, rollouts.retries), or(isLost, mayPass))

/** Updates that failed for a transient reason and have attempts left. */
export const listRetryableUpdates = (tx: Tx, { id, retries }: RolloutRow, most: number): Promise<DeviceUpdateRow[]> => {
  const hasAttempts = lte(rolloutDevices.attempt, retries)
  return tx
    .select()
    .from(rolloutDevices)
    .where(and(eq(rolloutDevices.rolloutId, id), hasAttempts, or(isLost, mayPass)))
    .limit(most)
}
