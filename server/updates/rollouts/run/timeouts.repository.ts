import { and, eq, gt, inArray, isNotNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { failureCodes, isRetryable, type UpdateState } from '../../../../contract/device/update-events'
import { textList } from '../../../core/database/text-list'
import type { Tx } from '../../../core/database/tx'
import type { DeviceRow } from '../../../fleet/devices/repository'
import { devices } from '../../../fleet/schema/devices'
import { statesOf } from '../../../fleet/devices/state/update-group'
import type { DeviceUpdateRow } from '../../device-updates/repository'
import { rolloutCountChanges, rolloutCounts } from '../../schema/rollout-counts'
import { rolloutDevices, rollouts } from '../../schema/rollouts'
import { activeStates } from '../offer/counts'

export type RunningUpdate = { update: DeviceUpdateRow } & Pick<
  DeviceRow,
  'id' | 'name' | 'serialNumber' | 'pollingIntervalS' | 'protocol' | 'hardwareModel'
>

/** An update that is in this state since `since`, or began to download at `offered`, or has not grown since then, may be late. */
export type MayBeLate = { state: UpdateState; since: Date; offered: Date }

const at = (moment: Date) => sql`${moment.toISOString()}::timestamptz`

const matches = ({ state, since, offered }: MayBeLate): SQL =>
  state === 'downloading'
    ? sql`(${rolloutDevices.state} = ${state} and (coalesce(${rolloutDevices.grownAt}, ${rolloutDevices.since}) <= ${at(since)}
        or coalesce(${rolloutDevices.offeredAt}, ${rolloutDevices.since}) <= ${at(offered)}))`
    : sql`(${rolloutDevices.state} = ${state} and ${rolloutDevices.since} <= ${at(since)})`

/** The running updates of a rollout that may be late, with the facts of the device that their time limits depend on. */
export const listRunningUpdates = (tx: Tx, rolloutId: string, late: readonly MayBeLate[]): Promise<RunningUpdate[]> =>
  tx
    .select({
      update: rolloutDevices,
      id: devices.id,
      name: devices.name,
      serialNumber: devices.serialNumber,
      pollingIntervalS: devices.pollingIntervalS,
      protocol: devices.protocol,
      hardwareModel: devices.hardwareModel,
    })
    .from(rolloutDevices)
    .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
    // With the list of states the index of running updates is used.
    .where(
      and(
        eq(rolloutDevices.rolloutId, rolloutId),
        sql`${rolloutDevices.state} in ${textList(activeStates)}`,
        or(...late.map(matches)),
      ),
    )

const notEnded = textList([...activeStates, ...statesOf('waiting'), 'held'])

/** The rollouts whose end time was reached before all of their updates had ended. */
export const listExpiredWithUpdates = async (tx: Tx): Promise<{ id: string }[]> => {
  const counted = (table: SQL) => sql`select wave, state, n from ${table} where rollout_id = r.id and state in ${notEnded}`
  const { rows } = await tx.execute<{ id: string }>(sql`
    select r.id from ${rollouts} r where r.phase = 'expired' and exists (
      select from (${counted(sql`${rolloutCounts}`)} union all ${counted(sql`${rolloutCountChanges}`)}) as c
      group by wave, state having sum(n) > 0)
    order by r.id`)
  return rows
}

/** The error codes of updates whose device was silent before it had the files. */
export const lostCodes = ['timed_out_offered', 'timed_out_downloading']
const isLost = and(eq(rolloutDevices.state, 'timed_out'), inArray(rolloutDevices.errorCode, lostCodes))
const mayPass = and(
  inArray(rolloutDevices.state, ['failed', 'timed_out']),
  inArray(rolloutDevices.errorCode, failureCodes.filter(isRetryable)),
)
const hasAttempts = lte(rolloutDevices.attempt, rollouts.retries)

/**
 * Of updates joined with their rollout: they failed for a transient reason and have attempts left. A lost way back always has
 * one: the device would keep the release that is rolled back.
 */
export const mayBeRetried = or(and(isLost, or(hasAttempts, isNotNull(rollouts.rollsBackId))), and(mayPass, hasAttempts))

/** Of updates joined with their rollout: a way back that was lost as often as any rollout tries. It is still offered again. */
export const isLostTooOften = or(
  gt(rolloutDevices.attempt, sql`${rollouts.retries} + 1`),
  and(isLost, gt(rolloutDevices.attempt, rollouts.retries)),
)

/** Updates that failed for a transient reason and may be retried. */
export const listRetryableUpdates = async (tx: Tx, rolloutId: string, most: number): Promise<DeviceUpdateRow[]> => {
  const rows = await tx
    .select({ update: rolloutDevices })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .where(and(eq(rolloutDevices.rolloutId, rolloutId), mayBeRetried))
    .limit(most)
  return rows.map(({ update }) => update)
}
