import { and, asc, eq, inArray, isNull, not, notExists, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { textList } from '../../../core/database/text-list'
import type { Tx } from '../../../core/database/tx'
import type { DeviceRow } from '../../../fleet/devices/repository'
import { devices } from '../../../fleet/schema/devices'
import { rolloutDevices, rollouts } from '../../schema/rollouts'
import { unavailableTexts } from '../decide/checks'
import { activeStates } from '../offer/counts'
import type { RolloutRow } from '../rows/rollout-rows.repository'

const runsIt = ({ releaseId }: RolloutRow) => eq(devices.installedReleaseId, releaseId)

/** Sent back, but deleted or moved away before it had returned: when it is here again, it is sent again. */
export const wasGone = ({ state, reason }: { state: SQLWrapper; reason: SQLWrapper }): SQL =>
  sql`(${state} = 'cancelled' and coalesce(${reason}, '') in ${textList([unavailableTexts.deleted, unavailableTexts.moved])})`

type Ended = { releaseId: SQLWrapper | string; endedAt: SQLWrapper | Date | null }

/** A rollout of the same release has updated the device that was started after this one had ended: it is no way back for it. */
export const isTakenOver = ({ releaseId, endedAt }: Ended): SQL => {
  const end = endedAt instanceof Date ? endedAt.toISOString() : endedAt
  return sql`exists (
    select from ${rolloutDevices} taken join ${rollouts} later on later.id = taken.rollout_id
    where taken.device_id = ${rolloutDevices.deviceId} and taken.state = 'succeeded' and later.release_id = ${releaseId}
      and later.started_at > ${end}::timestamptz)`
}

/** Devices of the rollout that run its release and are not decided yet. */
const undecided = (tx: Tx, row: RolloutRow): SQL | undefined => {
  const sent = alias(rolloutDevices, 'sent')
  const isSent = tx
    .select({ one: sql`1` })
    .from(sent)
    .innerJoin(rollouts, eq(rollouts.id, sent.rolloutId))
    .where(and(eq(sent.deviceId, rolloutDevices.deviceId), eq(rollouts.rollsBackId, row.id), not(wasGone(sent))))
  return and(runsIt(row), isNull(rolloutDevices.stays), notExists(isSent), not(isTakenOver(row)))
}

/**
 * The devices of a rollout that run its release, with the release before it, by name. `all`: also those that install it;
 * `undecided`: only those that are neither sent back nor stay.
 */
export const listReturning = (
  tx: Tx,
  row: RolloutRow,
  which: 'all' | 'undecided',
): Promise<{ device: DeviceRow; formerId: string | null }[]> => {
  const chosen = which === 'all' ? or(runsIt(row), inArray(rolloutDevices.state, activeStates)) : undecided(tx, row)
  return tx
    .select({ device: devices, formerId: rolloutDevices.fromReleaseId })
    .from(rolloutDevices)
    .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
    .where(and(eq(rolloutDevices.rolloutId, row.id), isNull(devices.deletedAt), chosen))
    .orderBy(asc(sql`lower(${devices.name})`), asc(devices.id))
}
