import { and, eq, inArray, notInArray, type SQLWrapper, sql } from 'drizzle-orm'
import { rolloutMoves } from '../../machines/rollout/rollout.machine'
import { endStates } from '../../contract/device/update-events'
import { rolloutDevices, rollouts } from '../updates/schema/rollouts'
import type { Tx } from '../core/database/tx'

/** One row if the device has an update in a rollout that offers. */
export const openUpdates = (tx: Tx, deviceId: string | SQLWrapper) =>
  tx
    .select({ one: sql`1` })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .where(
      and(
        eq(rolloutDevices.deviceId, deviceId),
        notInArray(rolloutDevices.state, [...endStates]),
        inArray(rollouts.phase, rolloutMoves.withTag('offering')),
      ),
    )
    .limit(1)

/** Whether a request for an update is worthwhile: a hint in the check-in. The actual decision is made at the request. */
export const isUpdateAvailable = async (tx: Tx, deviceId: string): Promise<boolean> => {
  const [open] = await openUpdates(tx, deviceId)
  return open !== undefined
}
