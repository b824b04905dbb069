import { and, eq, inArray } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { statesOf } from '../../fleet/devices/state/update-group'
import type { ReleaseRow } from '../releases/repository'
import { releases } from '../schema/releases'
import { rolloutDevices, rollouts } from '../schema/rollouts'

/** One device in one rollout. */
export type DeviceUpdateRow = typeof rolloutDevices.$inferSelect

/** Locks the updates of a device in these rollouts. */
export const lockDeviceUpdates = (
  tx: Tx,
  deviceId: string,
  rolloutIds: readonly string[],
): Promise<{ row: DeviceUpdateRow; release: ReleaseRow }[]> =>
  tx
    .select({ row: rolloutDevices, release: releases })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .innerJoin(releases, eq(releases.id, rollouts.releaseId))
    .where(and(eq(rolloutDevices.deviceId, deviceId), inArray(rolloutDevices.rolloutId, [...rolloutIds])))
    .for('update', { of: rolloutDevices })

/** Locks the running update of a device; there is at most one. */
export const lockRunningUpdate = async (
  tx: Tx,
  deviceId: string,
): Promise<{ row: DeviceUpdateRow; release: ReleaseRow } | undefined> => {
  const [update] = await tx
    .select({ row: rolloutDevices, release: releases })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .innerJoin(releases, eq(releases.id, rollouts.releaseId))
    .where(and(eq(rolloutDevices.deviceId, deviceId), inArray(rolloutDevices.state, statesOf('in_progress'))))
    .for('update', { of: rolloutDevices })
    .limit(1)
  return update
}

export const updateDeviceUpdate = async (
  tx: Tx,
  { rolloutId, deviceId }: Pick<DeviceUpdateRow, 'rolloutId' | 'deviceId'>,
  set: Partial<DeviceUpdateRow>,
): Promise<void> => {
  await tx
    .update(rolloutDevices)
    .set(set)
    .where(and(eq(rolloutDevices.rolloutId, rolloutId), eq(rolloutDevices.deviceId, deviceId)))
}

/** The same, unless the device has reported in the meantime: false if the state is another one now. */
export const updateUnchangedDeviceUpdate = async (
  tx: Tx,
  { rolloutId, deviceId, state }: DeviceUpdateRow,
  set: Partial<DeviceUpdateRow>,
): Promise<boolean> => {
  const same = and(
    eq(rolloutDevices.rolloutId, rolloutId),
    eq(rolloutDevices.deviceId, deviceId),
    eq(rolloutDevices.state, state),
  )
  const changed = await tx.update(rolloutDevices).set(set).where(same).returning({ state: rolloutDevices.state })
  return changed.length > 0
}
