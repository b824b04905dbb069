import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import { endStates } from '../../../../contract/device/update-events'
import { textList } from '../../../core/database/text-list'
import type { Tx } from '../../../core/database/tx'
import type { DeviceRow } from '../../../fleet/devices/repository'
import type { ReleaseRow } from '../../releases/repository'
import { releases } from '../../schema/releases'
import { rolloutDevices, rollouts } from '../../schema/rollouts'
import { activeStates } from './counts'
import type { DeviceUpdateRow } from '../../device-updates/repository'
import type { RolloutRow } from '../rows/rollout-rows.repository'

export type Subject = { release: ReleaseRow; rollout?: RolloutRow; update?: DeviceUpdateRow }

/** The update to explain: the one that would be offered first, otherwise the last one that ended. */
export const findUpdateToExplain = async (
  tx: Tx,
  device: DeviceRow,
  releaseId: string | undefined,
): Promise<Subject | undefined> => {
  const ended = sql`${rolloutDevices.state} in ${textList(endStates)}`
  const [found] = await tx
    .select({ release: releases, rollout: rollouts, update: rolloutDevices })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .innerJoin(releases, eq(releases.id, rollouts.releaseId))
    .where(and(eq(rolloutDevices.deviceId, device.id), releaseId === undefined ? undefined : eq(releases.id, releaseId)))
    .orderBy(
      ended,
      sql`${inArray(rolloutDevices.state, activeStates)} desc`,
      desc(rollouts.priority),
      desc(releases.version),
      desc(rollouts.createdAt),
    )
    .limit(1)
  return found
}

/** Without a rollout: the requested release, or the newest one for this device. */
export const findReleaseToExplain = async (
  tx: Tx,
  device: DeviceRow,
  releaseId: string | undefined,
): Promise<Subject | undefined> => {
  const meant =
    releaseId === undefined
      ? sql`${device.hardwareModel} = any(${releases.hardwareModels}) and ${inArray(releases.state, ['ready', 'released'])}`
      : eq(releases.id, releaseId)
  const [release] = await tx
    .select()
    .from(releases)
    .where(and(eq(releases.projectId, device.projectId), meant))
    .orderBy(desc(releases.version))
    .limit(1)
  return release && { release }
}
