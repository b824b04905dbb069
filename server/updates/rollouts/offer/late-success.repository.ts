import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { daysBefore } from '../../../core/days'
import type { DeviceRow } from '../../../fleet/devices/repository'
import { devices } from '../../../fleet/schema/devices'
import type { DeviceUpdateRow } from '../../device-updates/repository'
import type { ReleaseRow } from '../../releases/repository'
import { releases } from '../../schema/releases'
import { rolloutDevices, rollouts } from '../../schema/rollouts'

type FinishedLate = { update: DeviceUpdateRow; release: ReleaseRow; device: DeviceRow }

const runsIt = and(
  eq(devices.id, rolloutDevices.deviceId),
  eq(devices.installedReleaseId, rollouts.releaseId),
  eq(devices.installedConfirmed, true),
  isNull(devices.deletedAt),
)

/** Another rollout of the release has updated the device since. */
const isOfAnother = sql`exists (
  select from ${rolloutDevices} other join ${rollouts} r on r.id = other.rollout_id
  where other.device_id = ${rolloutDevices.deviceId} and other.rollout_id <> ${rolloutDevices.rolloutId}
    and other.state = 'succeeded' and other.since >= ${rolloutDevices.since} and r.release_id = ${rollouts.releaseId})`

/** A DDI client may report a version in the boot of the offer that it runs only after the restart (contract/ddi/confirm.ts). */
const isInForce = sql`(${devices.protocol} <> 'ddi' or ${releases.reboot} = 'never' or ${rolloutDevices.offerBootId} is null
  or ${devices.bootId} <> ${rolloutDevices.offerBootId})`

const finishedLate = and(isInForce, eq(rolloutDevices.state, 'timed_out'), sql`not ${isOfAnother}`)

// Updates that have timed out are kept for good, and a tick reads these.
const openDays = 90

/** The rollouts, open or ended lately, with updates that have timed out although their device runs the release by now. */
export const listRolloutsWithLateSuccess = (tx: Tx, now: Date): Promise<{ id: string }[]> =>
  tx
    .selectDistinct({ id: rollouts.id })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .innerJoin(releases, eq(releases.id, rollouts.releaseId))
    .innerJoin(devices, runsIt)
    .where(and(or(isNull(rollouts.endedAt), gt(rollouts.endedAt, daysBefore(now, openDays))), finishedLate))

// Keeps a tick short; the others follow at the next one, two seconds later.
const atOnce = 500

/** Those of one rollout, locked. One that is reporting is left to the next tick. */
export const listFinishedLate = (tx: Tx, rolloutId: string): Promise<FinishedLate[]> =>
  tx
    .select({ update: rolloutDevices, release: releases, device: devices })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .innerJoin(releases, eq(releases.id, rollouts.releaseId))
    .innerJoin(devices, runsIt)
    .where(and(eq(rolloutDevices.rolloutId, rolloutId), finishedLate))
    .limit(atOnce)
    .for('update', { of: rolloutDevices, skipLocked: true })
