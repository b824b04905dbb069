import { and, eq, inArray, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { devices } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { countsOfProject } from './state/counts.repository'
import { isInUse } from './state/computed.repository'
import { newRow, rowUpdate } from '../../core/database/row'
import { notFound, refuse } from '../../core/http/refuse'

export type DeviceRow = typeof devices.$inferSelect
export type NewDeviceRow = Omit<typeof devices.$inferInsert, keyof ReturnType<typeof newRow>>
export type DeviceChanges = Partial<NewDeviceRow>

/** So many devices change in one statement: it stays below its time limit on a busy machine. */
export const deviceSlice = 2000

export const findDeviceProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [device] = await tx.select({ projectId: devices.projectId }).from(devices).where(eq(devices.id, id))
  return device
}

/** A device; 404 for a deleted one. */
export const getDevice = async (tx: Tx, id: string): Promise<DeviceRow> => {
  const [row] = await tx.select().from(devices).where(eq(devices.id, id))
  return row?.deletedAt === null ? row : notFound()
}

export const listDevicesById = (tx: Tx, ids: readonly string[]): Promise<DeviceRow[]> =>
  tx
    .select()
    .from(devices)
    .where(inArray(devices.id, [...ids]))

/** Locks a device for a change, also a deleted one. */
export const lockDeviceEvenIfDeleted = async (tx: Tx, id: string): Promise<DeviceRow> => {
  const [row] = await tx.select().from(devices).where(eq(devices.id, id)).for('update')
  return row ?? notFound()
}

/** Locks a device for a change; 404 for a deleted one. */
export const lockDeviceForChange = async (tx: Tx, id: string): Promise<DeviceRow> => {
  const row = await lockDeviceEvenIfDeleted(tx, id)
  return row.deletedAt === null ? row : notFound()
}

/** Locks the calling device, so that its requests run one after another. It existed when its token was looked up. */
export const lockCallingDevice = async (tx: Tx, id: string): Promise<DeviceRow> => {
  const [row] = await tx.select().from(devices).where(eq(devices.id, id)).for('no key update')
  return row ?? refuse(401, 'unauthenticated')
}

export const lockDeviceBySerial = async (tx: Tx, projectId: string, serialNumber: string): Promise<DeviceRow | undefined> => {
  const same = and(eq(devices.projectId, projectId), eq(devices.serialNumber, serialNumber), isNull(devices.deletedAt))
  const [row] = await tx.select().from(devices).where(same).for('update')
  return row
}

export const isDeviceNameTaken = async (tx: Tx, projectId: string, name: string): Promise<boolean> => {
  const taken = and(eq(devices.projectId, projectId), sql`lower(${devices.name}) = lower(${name})`, isNull(devices.deletedAt))
  const [other] = await tx.select({ id: devices.id }).from(devices).where(taken)
  return other !== undefined
}

/** The devices in use, which count for the limit of the plan. */
export const countDevicesOfPlan = async (tx: Tx, projectId: string): Promise<number> => {
  const { rows } = await tx.execute<{ n: number }>(sql`
    select coalesce(sum(n), 0)::int as n from ${countsOfProject(sql`${projectId}`)} as counted
    where ${isInUse}`)
  return rows[0]?.n ?? 0
}

export const insertDevice = async (tx: Tx, device: NewDeviceRow, now: Date): Promise<DeviceRow> => {
  const [row] = await tx
    .insert(devices)
    .values({ ...newRow(now), ...device })
    .returning()
  if (!row) throw new Error('an inserted device is not there')
  return row
}

/** A change by a person or an enrollment: it increases the revision. Undefined columns stay. */
export const updateDevice = async (tx: Tx, id: string, changes: DeviceChanges, now: Date): Promise<DeviceRow> => {
  const [row] = await tx
    .update(devices)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(devices.id, id))
    .returning()
  return row ?? notFound()
}

/** What a device reports about itself: the revision stays, so that reports do not conflict with changes by people. */
export const updateReportedFacts = async (tx: Tx, id: string, facts: DeviceChanges): Promise<void> => {
  await tx.update(devices).set(facts).where(eq(devices.id, id))
}

/**
 * Writes times of last contacts where they are newer, and returns the devices whose rows it could lock. It waits for no other
 * transaction, so it can take part in no deadlock. The revision stays.
 */
export const updateLastSeen = async (tx: Tx, contacts: readonly (readonly [string, Date])[]): Promise<string[]> => {
  const ids = sql.param(contacts.map(([id]) => id))
  const times = sql.param(contacts.map(([, at]) => at.toISOString()))
  const { rows } = await tx.execute<{ id: string }>(sql`
    with contact as materialized (select * from unnest(${ids}::text[], ${times}::timestamptz[]) as contact (id, at)),
    free as materialized (
      select id from ${devices} where id in (select id from contact) for no key update skip locked
    ),
    written as (
      update ${devices} set last_seen_at = contact.at from contact
      where devices.id = contact.id and devices.id in (select id from free)
        and (devices.last_seen_at is null or devices.last_seen_at < contact.at)
    )
    select id from free`)
  return rows.map(({ id }) => id)
}

/** The revision stays, as with reported facts. */
export const updateDeviceQuarantine = async (
  tx: Tx,
  id: string,
  { until, reason, releaseId }: { until: Date | null; reason: string | null; releaseId: string | null },
): Promise<void> => {
  await tx
    .update(devices)
    .set({ quarantineUntil: until, quarantineReason: reason, quarantineReleaseId: releaseId })
    .where(eq(devices.id, id))
}

/**
 * Changes devices by statements that each take at most `deviceSlice` of them, until none fits the condition any more. The ids are read
 * first: with outdated statistics PostgreSQL may read a subquery anew for every row. The condition belongs into the statement again,
 * for a device that has changed meanwhile. Returns how many were changed.
 */
export const changeInSlices = async (
  tx: Tx,
  which: SQL | undefined,
  change: (slice: SQL | undefined) => PromiseLike<{ rowCount: number | null }>,
): Promise<number> => {
  let total = 0
  for (;;) {
    const ids = await tx.select({ id: devices.id }).from(devices).where(which).limit(deviceSlice)
    if (ids.length === 0) return total
    const among = sql`${devices.id} = any(${sql.param(ids.map(({ id }) => id))}::text[])`
    total += (await change(and(among, which))).rowCount ?? 0
  }
}

/**
 * Deletes these devices with all that belongs to them: what hangs on 50,000 devices took ten seconds in one statement, which is beyond
 * its time limit.
 */
const purgeDevices = async (tx: Tx, which: SQL | undefined): Promise<void> => {
  await changeInSlices(tx, which, (slice) => tx.delete(devices).where(slice))
}

export const purgeDevicesOfProject = (tx: Tx, projectId: string): Promise<void> =>
  purgeDevices(tx, eq(devices.projectId, projectId))

export const purgeDevicesDeletedBefore = (tx: Tx, time: Date): Promise<void> =>
  purgeDevices(tx, and(isNotNull(devices.deletedAt), lt(devices.deletedAt, time)))
