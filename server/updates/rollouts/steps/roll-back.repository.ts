import { and, asc, count, eq, gt, inArray, isNull, not, notExists, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { rolloutMoves } from '../../../../machines/rollout/rollout.machine'
import type { Tx } from '../../../core/database/tx'
import { devices } from '../../../fleet/schema/devices'
import { releases } from '../../schema/releases'
import { rolloutDevices, rollouts } from '../../schema/rollouts'
import type { RolloutRow } from '../rows/rollout-rows.repository'
import { isTakenOver, wasGone } from './ways-back.repository'

/** Locks the rollouts that send devices of this rollout back to a release and still offer it. */
export const lockOpenRollBacks = (tx: Tx, row: RolloutRow, releaseId: string): Promise<RolloutRow[]> => {
  const open = and(
    eq(rollouts.rollsBackId, row.id),
    eq(rollouts.releaseId, releaseId),
    inArray(rollouts.phase, rolloutMoves.withTag('offering')),
  )
  return tx.select().from(rollouts).where(open).for('no key update')
}

/** When the rollouts that send devices of this rollout back ended. */
export const listRollBackEnds = (tx: Tx, rolloutId: string): Promise<Pick<RolloutRow, 'endedAt'>[]> =>
  tx.select({ endedAt: rollouts.endedAt }).from(rollouts).where(eq(rollouts.rollsBackId, rolloutId))

/** Marks a new rollout as one that sends devices of another one back. */
export const updateRollsBack = async (
  tx: Tx,
  id: string,
  set: Pick<RolloutRow, 'rollsBackId' | 'requiresApproval'>,
): Promise<RolloutRow | undefined> => {
  const [after] = await tx.update(rollouts).set(set).where(eq(rollouts.id, id)).returning()
  return after
}

export const updateTarget = async (tx: Tx, id: string, target: RolloutRow['target']): Promise<void> => {
  await tx.update(rollouts).set({ target }).where(eq(rollouts.id, id))
}

/** Stores why devices keep the release of the rollout. */
export const updateStays = async (tx: Tx, rolloutId: string, deviceIds: readonly string[], stays: string): Promise<void> => {
  await tx
    .update(rolloutDevices)
    .set({ stays })
    .where(and(eq(rolloutDevices.rolloutId, rolloutId), inArray(rolloutDevices.deviceId, [...deviceIds])))
}

/**
 * Asks devices to stop that run the release and were deleted or moved away: by this mark they are found when they are here again.
 */
export const askGoneToStop = async (tx: Tx, { id, projectId, releaseId }: RolloutRow): Promise<void> => {
  await tx.execute(sql`update ${rolloutDevices} r set abort_asked = true from ${devices} d
    where r.rollout_id = ${id} and d.project_id = ${projectId} and d.deleted_at is not null and d.id = r.device_id
      and d.installed_release_id = ${releaseId} and r.state = 'succeeded' and not r.abort_asked`)
}

/**
 * Timed out; cancelled after an offer, such as that of a client that had installed the release already, or of a retry while the
 * first try went on; or succeeded although the device was asked to stop. As in the index rollout_devices_may_finish, which is small.
 */
const mayFinish = sql`(${rolloutDevices.state} = 'timed_out'
  or (${rolloutDevices.state} = 'cancelled' and ${rolloutDevices.offeredAt} is not null)
  or (${rolloutDevices.state} = 'succeeded' and ${rolloutDevices.abortAsked}))`

/** The rollouts whose rollback has ended before a device had finished their release. */
export const listRolledBackTooEarly = (tx: Tx): Promise<{ id: string }[]> => {
  const sent = alias(rolloutDevices, 'sent')
  const back = alias(rollouts, 'back')
  const isSent = tx
    .select({ one: sql`1` })
    .from(sent)
    .innerJoin(back, eq(back.id, sent.rolloutId))
    .where(and(eq(sent.deviceId, rolloutDevices.deviceId), eq(back.rollsBackId, rollouts.id), not(wasGone(sent))))
  const runsIt = and(eq(devices.id, rolloutDevices.deviceId), eq(devices.installedReleaseId, rollouts.releaseId))
  return tx
    .selectDistinct({ id: rollouts.id })
    .from(rolloutDevices)
    .innerJoin(rollouts, and(eq(rollouts.id, rolloutDevices.rolloutId), eq(rollouts.phase, 'rolled_back')))
    .innerJoin(devices, and(runsIt, isNull(devices.deletedAt)))
    .where(
      and(
        mayFinish,
        isNull(rolloutDevices.stays),
        notExists(isSent),
        not(isTakenOver({ releaseId: rollouts.releaseId, endedAt: rollouts.endedAt })),
      ),
    )
}

/** The rollouts whose rollback has ended before a device had returned that was given up on its way back. */
export const listOutdatedSummaries = (tx: Tx): Promise<{ id: string }[]> => {
  const back = alias(rollouts, 'back')
  return tx
    .selectDistinct({ id: rollouts.id })
    .from(rolloutDevices)
    .innerJoin(back, eq(back.id, rolloutDevices.rolloutId))
    .innerJoin(rollouts, and(eq(rollouts.id, back.rollsBackId), eq(rollouts.phase, 'rolled_back')))
    .where(and(eq(rolloutDevices.state, 'succeeded'), rolloutDevices.abortAsked, gt(rolloutDevices.since, rollouts.updatedAt)))
}

export type WayBack = {
  rollsBackId: string
  id: string
  name: string
  version: number
  displayVersion: string | null
  /** One row for each wave of the rollout that is rolled back; null and 0 while no device is back. */
  wave: number | null
  returned: number
}

/** The rollouts that send devices of these ones back, oldest first, with how many of those that had succeeded are back, by wave. */
export const listWaysBack = async (tx: Tx, rolloutIds: readonly string[]): Promise<WayBack[]> => {
  if (rolloutIds.length === 0) return []
  const back = alias(rollouts, 'back')
  const sent = alias(rolloutDevices, 'sent')
  return tx
    .select({
      rollsBackId: sql<string>`${back.rollsBackId}`,
      id: back.id,
      name: back.name,
      version: releases.version,
      displayVersion: releases.displayVersion,
      wave: rolloutDevices.wave,
      returned: count(rolloutDevices.deviceId),
    })
    .from(back)
    .innerJoin(releases, eq(releases.id, back.releaseId))
    .leftJoin(sent, and(eq(sent.rolloutId, back.id), eq(sent.state, 'succeeded')))
    .leftJoin(
      rolloutDevices,
      and(
        eq(rolloutDevices.rolloutId, back.rollsBackId),
        eq(rolloutDevices.deviceId, sent.deviceId),
        eq(rolloutDevices.state, 'succeeded'),
      ),
    )
    .where(inArray(back.rollsBackId, [...rolloutIds]))
    .groupBy(back.id, releases.id, rolloutDevices.wave)
    .orderBy(asc(back.createdAt), asc(back.id))
}

/** Of these devices those that a rollback of the rollout has sent back: to which release, and since when they have it. */
export const listReturned = async (tx: Tx, rolloutId: string, deviceIds: readonly string[]) => {
  if (deviceIds.length === 0) return []
  const { version, displayVersion } = releases
  return tx
    .select({ deviceId: rolloutDevices.deviceId, rolloutId: rollouts.id, version, displayVersion, at: rolloutDevices.since })
    .from(rollouts)
    .innerJoin(rolloutDevices, eq(rolloutDevices.rolloutId, rollouts.id))
    .innerJoin(releases, eq(releases.id, rollouts.releaseId))
    .where(
      and(
        eq(rollouts.rollsBackId, rolloutId),
        inArray(rolloutDevices.deviceId, [...deviceIds]),
        eq(rolloutDevices.state, 'succeeded'),
      ),
    )
    .orderBy(asc(rolloutDevices.since))
}
