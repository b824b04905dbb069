import { and, eq, isNull, notInArray, sql } from 'drizzle-orm'
import { endStates } from '../../contract/device/update-events'
import type { Tx } from '../core/database/tx'
import { devices } from '../fleet/schema/devices'
import { rolloutDevices } from '../updates/schema/rollouts'
import { ddiDevices } from './schema/ddi'

/** All that a poll without work needs, in one statement. `hasUpdate`: one that has not ended. */
export const findPollState = async (tx: Tx, deviceId: string) => {
  const open = tx
    .select({ one: sql`1` })
    .from(rolloutDevices)
    .where(and(eq(rolloutDevices.deviceId, deviceId), notInArray(rolloutDevices.state, [...endStates])))
  const [found] = await tx
    .select({
      id: devices.id,
      hardwareModel: devices.hardwareModel,
      firstSeenAt: devices.firstSeenAt,
      lastSeenAt: devices.lastSeenAt,
      enrolledAt: devices.enrolledAt,
      bootId: devices.bootId,
      seenFrom: devices.seenFrom,
      pollingIntervalS: devices.pollingIntervalS,
      nextPollingS: devices.nextPollingS,
      clientName: devices.clientName,
      clientVersion: devices.clientVersion,
      configAt: ddiDevices.configAt,
      configAsked: ddiDevices.configAsked,
      configLinked: ddiDevices.configLinked,
      hasUpdate: sql<boolean>`exists (${open})`,
    })
    .from(devices)
    .innerJoin(ddiDevices, eq(ddiDevices.deviceId, devices.id))
    .where(and(eq(devices.id, deviceId), isNull(devices.deletedAt)))
  return found
}
