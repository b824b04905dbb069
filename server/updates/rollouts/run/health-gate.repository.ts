import { and, count, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { UpdateState } from '../../../../contract/device/update-events'
import type { Tx } from '../../../core/database/tx'
import { computed } from '../../../fleet/devices/state/computed.repository'
import { devices } from '../../../fleet/schema/devices'
import { rolloutDevices } from '../../schema/rollouts'

type Asked = { projectId: string; rolloutId: string; n: number; pollS: number; now: Date; states?: readonly UpdateState[] }

/** How many devices of a wave are in critical health, of those in some update states or of all. */
export const countCritical = async (tx: Tx, { projectId, rolloutId, n, pollS, now, states }: Asked): Promise<number> => {
  const { health } = computed(pollS, now)
  const [row] = await tx
    .select({ n: count() })
    .from(rolloutDevices)
    .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
    .where(
      and(
        eq(rolloutDevices.rolloutId, rolloutId),
        eq(rolloutDevices.wave, n),
        states && inArray(rolloutDevices.state, [...states]),
        // As in the index devices_unwell: a tick reads the few devices that are critical, not the wave.
        eq(devices.projectId, projectId),
        isNull(devices.deletedAt),
        eq(devices.healthStatus, 'critical'),
        sql`(${health}) = 'critical'`,
      ),
    )
  return row?.n ?? 0
}
