import { randomInt } from 'node:crypto'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { prepareOnce } from '../core/database/prepared'
import type { Tx } from '../core/database/tx'
import type { DeviceRow } from '../fleet/devices/repository'
import { updateEvents } from '../fleet/schema/telemetry.partitioned'
import type { DeviceUpdateRow } from '../updates/device-updates/repository'
import type { AssetRow } from '../updates/releases/assets/repository'
import type { ReleaseRow } from '../updates/releases/repository'
import { assets, releases } from '../updates/schema/releases'
import { rolloutDevices, rollouts } from '../updates/schema/rollouts'
import { getDdiDevice, updateDdiDevice } from './devices.repository'
import { ddiActions } from './schema/ddi'

export type ActionRow = typeof ddiActions.$inferSelect
/** An action with the update that it is an attempt of. */
export type Action = { action: ActionRow; update: DeviceUpdateRow; release: ReleaseRow }
type Owner = Pick<DeviceRow, 'id' | 'projectId'>

const selectActions = (tx: Tx) =>
  tx
    .select({ action: ddiActions, update: rolloutDevices, release: releases })
    .from(ddiActions)
    .innerJoin(
      rolloutDevices,
      and(eq(rolloutDevices.rolloutId, ddiActions.rolloutId), eq(rolloutDevices.deviceId, ddiActions.deviceId)),
    )
    .innerJoin(rollouts, eq(rollouts.id, ddiActions.rolloutId))
    .innerJoin(releases, eq(releases.id, rollouts.releaseId))

/** An action of the device by the number that its client knows. */
export const findAction = async (tx: Tx, deviceId: string, id: number): Promise<Action | undefined> => {
  const [found] = await selectActions(tx).where(and(eq(ddiActions.deviceId, deviceId), eq(ddiActions.id, id)))
  return found
}

export const findUpdateOf = async (tx: Tx, deviceId: string, rolloutId: string): Promise<DeviceUpdateRow | undefined> => {
  const [found] = await tx
    .select()
    .from(rolloutDevices)
    .where(and(eq(rolloutDevices.rolloutId, rolloutId), eq(rolloutDevices.deviceId, deviceId)))
  return found
}

/** The newest action, open or not. */
export const findNewestAction = async (tx: Tx, deviceId: string): Promise<Action | undefined> => {
  const [found] = await selectActions(tx).where(eq(ddiActions.deviceId, deviceId)).orderBy(desc(ddiActions.id)).limit(1)
  return found
}

/** The action of the device's last successful update. */
export const findSucceededAction = async (tx: Tx, deviceId: string): Promise<Action | undefined> => {
  const [found] = await selectActions(tx)
    .where(
      and(
        eq(ddiActions.deviceId, deviceId),
        eq(rolloutDevices.state, 'succeeded'),
        eq(ddiActions.attempt, rolloutDevices.attempt),
      ),
    )
    .orderBy(desc(rolloutDevices.since), desc(ddiActions.id))
    .limit(1)
  return found
}

/** Ids fit into 31 bits, and a former server has hardly given the device one of them. */
const firstIds = [1_100_000_000, 2_000_000_000] as const

/**
 * Makes the action of an offer, and closes those before it: attempts are counted from one again when failed devices are queued again.
 * `device` is locked by the caller.
 */
export const insertAction = async (
  tx: Tx,
  device: Owner,
  { rolloutId, attempt }: Pick<DeviceUpdateRow, 'rolloutId' | 'attempt'>,
  now: Date,
): Promise<void> => {
  const { lastActionId } = await getDdiDevice(tx, device)
  const id = lastActionId === null ? randomInt(...firstIds) : lastActionId + 1
  await tx
    .update(ddiActions)
    .set({ closedAt: now })
    .where(and(eq(ddiActions.deviceId, device.id), isNull(ddiActions.closedAt)))
  await tx.insert(ddiActions).values({ deviceId: device.id, id, projectId: device.projectId, rolloutId, attempt, createdAt: now })
  await updateDdiDevice(tx, device.id, { lastActionId: id })
}

export const updateAction = async (
  tx: Tx,
  { deviceId, id }: Pick<ActionRow, 'deviceId' | 'id'>,
  set: Partial<Pick<ActionRow, 'closedAt' | 'cancelRefusedAt'>>,
): Promise<void> => {
  await tx
    .update(ddiActions)
    .set(set)
    .where(and(eq(ddiActions.deviceId, deviceId), eq(ddiActions.id, id)))
}

/** Never goes back: a client may read ranges in any order, and again. */
export const raiseServedTo = async (tx: Tx, { deviceId, id }: Pick<ActionRow, 'deviceId' | 'id'>, end: number): Promise<void> => {
  await tx
    .update(ddiActions)
    .set({ servedTo: sql`greatest(${ddiActions.servedTo}, ${end})` })
    .where(and(eq(ddiActions.deviceId, deviceId), eq(ddiActions.id, id)))
}

const revokedRelease = prepareOnce((tx) =>
  tx
    .select({ state: releases.state })
    .from(releases)
    .where(eq(releases.id, sql.placeholder('id')))
    .prepare('ddi_revoked_release'),
)

/** Asked at each range of a download: by one prepared statement. */
export const isRevoked = async (tx: Tx, id: string): Promise<boolean> => {
  const [found] = await revokedRelease(tx).execute({ id })
  return found?.state === 'revoked'
}

export const listAssets = (tx: Tx, releaseId: string): Promise<AssetRow[]> =>
  tx.select().from(assets).where(eq(assets.releaseId, releaseId)).orderBy(assets.name)

/** What happened to the update of an action, newest first. */
export const listMessages = (tx: Tx, { action }: Action, most: number) =>
  tx
    .select({ type: updateEvents.type, message: updateEvents.message, state: updateEvents.toState })
    .from(updateEvents)
    .where(
      and(
        eq(updateEvents.projectId, action.projectId),
        eq(updateEvents.deviceId, action.deviceId),
        eq(updateEvents.rolloutId, action.rolloutId),
        eq(updateEvents.attempt, action.attempt),
      ),
    )
    .orderBy(desc(updateEvents.id))
    .limit(most)
