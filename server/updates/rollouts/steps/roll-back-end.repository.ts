import { and, asc, count, eq, inArray, isNotNull, isNull, not, or, sql } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { connectivitySql } from '../../../fleet/devices/state/computed.repository'
import { devices } from '../../../fleet/schema/devices'
import { rolloutDevices, rollouts } from '../../schema/rollouts'
import { statesOf } from '../../../fleet/devices/state/update-group'
import { activeStates } from '../offer/counts'
import type { RolloutRow } from '../rows/rollout-rows.repository'
import { isLostTooOften, mayBeRetried } from '../run/timeouts.repository'
import { wasGone } from './ways-back.repository'

/** What a device waits for that was sent back; a rollback ends without it. */
export type Wait = 'resume' | 'quarantine' | 'pause' | 'connection'
/** `runsIt`: it still runs the release that is rolled back. `expired`: why the rollout that sent it back has ended without it. */
export type Sent = {
  name: string
  state: string
  error: string | null
  runsIt: boolean
  waitsFor: Wait | null
  expired: string | null
}

const byName = asc(sql`lower(${devices.name})`)

const runsIt = ({ releaseId }: RolloutRow) => sql<boolean>`coalesce(${devices.installedReleaseId} = ${releaseId}, false)`

const expired = sql<string | null>`case when ${rollouts.phase} = 'expired' then ${rollouts.stateReason} end`

const error = sql<string | null>`coalesce(${rolloutDevices.errorText}, ${rolloutDevices.errorCode}, ${rolloutDevices.reason})`

const waitsFor = (now: Date) => {
  const at = sql`${now.toISOString()}::timestamptz`
  const isWaiting = inArray(rolloutDevices.state, statesOf('waiting'))
  const isOfRelease = or(isNull(devices.quarantineReleaseId), eq(devices.quarantineReleaseId, rollouts.releaseId))
  // Of the rollout that sends it back: a person has paused or halted it.
  const isStopped = and(inArray(rollouts.phase, ['paused', 'halted']), or(isWaiting, mayBeRetried))
  return sql<Wait | null>`case
    when ${isStopped} then 'resume'
    when ${isWaiting} and ${devices.quarantineUntil} > ${at} and ${isOfRelease} then 'quarantine'
    when ${isWaiting} and ${devices.updatesPausedUntil} > ${at} then 'pause'
    when ${isLostTooOften} then 'connection' end`
}

/** The devices that were sent back from the release of this rollout, by name. */
export const listSent = (tx: Tx, row: RolloutRow, now: Date): Promise<Sent[]> =>
  tx
    .select({ name: devices.name, state: rolloutDevices.state, error, runsIt: runsIt(row), waitsFor: waitsFor(now), expired })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
    .where(and(eq(rollouts.rollsBackId, row.id), isNull(devices.deletedAt), not(wasGone(rolloutDevices))))
    .orderBy(byName)

/** The devices of this rollout that keep its release, by name. */
export const listStaying = (tx: Tx, row: RolloutRow): Promise<{ name: string; reason: string }[]> =>
  tx
    .select({ name: devices.name, reason: sql<string>`${rolloutDevices.stays}` })
    .from(rolloutDevices)
    .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
    .where(and(eq(rolloutDevices.rolloutId, row.id), isNotNull(rolloutDevices.stays), isNull(devices.deletedAt), runsIt(row)))
    .orderBy(byName)

/** How many of the devices that were sent back are expected to end soon: they update or try again, or wait only for their next check-in. */
export const countExpected = async (tx: Tx, rolloutId: string, pollS: number, now: Date): Promise<number> => {
  const isOffline = sql`(${connectivitySql(pollS, now)}) in ('offline', 'never_seen')`
  const [row] = await tx
    .select({ n: count() })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
    .where(
      and(
        eq(rollouts.rollsBackId, rolloutId),
        isNull(rollouts.endedAt),
        isNull(waitsFor(now)),
        or(
          inArray(rolloutDevices.state, activeStates),
          and(inArray(rolloutDevices.state, statesOf('waiting')), sql`not ${isOffline}`),
          mayBeRetried,
        ),
      ),
    )
  return row?.n ?? 0
}
