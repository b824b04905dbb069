import { and, asc, count, inArray, type SQL, sql } from 'drizzle-orm'
import { boardAttribute } from '../../../contract/hardware-models'
import type { Target } from '../../../contract/rollout-plans'
import type { Tx } from '../../core/database/tx'
import type { DeviceRow } from '../../fleet/devices/repository'
import { targeted } from '../../fleet/devices/target.repository'
import { devices } from '../../fleet/schema/devices'
import { rolloutDevices } from '../schema/rollouts'
import type { ReleaseFacts } from './decision-facts'

export type Member = { id: string; name: string; never_seen: boolean }
export type Kind = { kind: string; trusts: boolean; n: number; first: string[] }

export const sampleSize = 5

/** Devices that are not in a rollout yet. */
export const notIn = (rolloutId: string): SQL =>
  sql`not exists (select from ${rolloutDevices}
    where ${rolloutDevices.rolloutId} = ${rolloutId} and ${rolloutDevices.deviceId} = ${devices.id})`

// A DDI client verifies its bundle by keys that are not known here.
const isByClient = sql<boolean>`${devices.protocol} = 'ddi'`
const trusts = ({ signedBy }: ReleaseFacts) =>
  sql<boolean>`(${isByClient} or ${devices.trustedKeys} && ${sql.param([...signedBy])}::text[])`

/** All facts of a device that checks 1 to 12 depend on: devices of one kind get the same verdict. */
const kindOf = (release: ReleaseFacts, now: Date) => {
  const at = sql`${now.toISOString()}::timestamptz`
  return sql<string>`jsonb_build_array(
    ${devices.lifecycle}, ${devices.updatesEnabled}, coalesce(${devices.updatesPausedUntil} > ${at}, false),
    coalesce(${devices.quarantineUntil} > ${at}, false), ${devices.quarantineReleaseId}, ${devices.hardwareModel},
    ${devices.installedReleaseId}, ${devices.installedVersion}, ${devices.rollbackVersion}, ${devices.protocol},
    case when ${isByClient} then ${devices.attributes} ->> ${sql.raw(`'${boardAttribute}'`)} end, ${trusts(release)})::text`
}

export type TargetedFleet = { projectId: string; target: Target; release: ReleaseFacts; now: Date; among: SQL | undefined }

export const targetedFleet = (tx: Tx, { projectId, target, release, now, among }: TargetedFleet) =>
  // Named columns: expressions with parameters would be two different ones in select and group by.
  tx
    .select({
      id: devices.id,
      kind: kindOf(release, now).as('kind'),
      trusts: trusts(release).as('trusts'),
      byClient: isByClient.as('by_client'),
    })
    .from(devices)
    .where(and(targeted(projectId, target), among))
    .as('fleet')

/** The kinds of the targeted devices, with their count and first devices. */
export const listKinds = (tx: Tx, asked: TargetedFleet): Promise<Kind[]> => {
  const fleet = targetedFleet(tx, asked)
  return tx
    .select({
      kind: fleet.kind,
      trusts: sql<boolean>`bool_or(${fleet.trusts})`,
      n: count(),
      first: sql<string[]>`(array_agg(${fleet.id} order by ${fleet.id}))[1:${sql.raw(String(sampleSize))}]`,
    })
    .from(fleet)
    .groupBy(fleet.kind)
    .orderBy(asc(fleet.kind))
}

/** The ids of the targeted devices of some kinds, in their order, how many of them trust a key of the release, and how many verify themselves. */
export const listDevicesOfKinds = async (
  tx: Tx,
  asked: TargetedFleet,
  kinds: readonly string[],
): Promise<{ ids: string[]; trusting: number; byClient: number }> => {
  const fleet = targetedFleet(tx, asked)
  const [found] = await tx
    .select({
      ids: sql<string | null>`string_agg(${fleet.id}, ',' order by ${fleet.id} collate "C")`,
      trusting: sql<number>`count(*) filter (where ${fleet.trusts} and not ${fleet.byClient})`.mapWith(Number),
      byClient: sql<number>`count(*) filter (where ${fleet.byClient})`.mapWith(Number),
    })
    .from(fleet)
    .where(sql`${fleet.kind} = any(${sql.param([...kinds])}::text[])`)
  // One text instead of a row per device: splitting it takes milliseconds.
  return { ids: found?.ids?.split(',') ?? [], trusting: found?.trusting ?? 0, byClient: found?.byClient ?? 0 }
}

export const findDevicesById = (tx: Tx, ids: readonly string[]): Promise<DeviceRow[]> =>
  tx
    .select()
    .from(devices)
    .where(inArray(devices.id, [...ids]))

/** These devices by their ids, in the form of a sample. */
export const findMembers = async (tx: Tx, ids: readonly string[]): Promise<Map<string, Member>> => {
  if (ids.length === 0) return new Map()
  const { id, name, lastSeenAt } = devices
  const rows = await tx
    .select({ id, name, never_seen: sql<boolean>`${lastSeenAt} is null` })
    .from(devices)
    .where(inArray(id, [...ids]))
  return new Map(rows.map((row) => [row.id, row]))
}
