import { and, eq, inArray } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
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
