import { and, asc, inArray, type SQL, sql } from 'drizzle-orm'
import { installsAttribute } from '../../../../contract/device/installs'
import { boardAttribute } from '../../../../contract/ddi/model-client'
import type { Target } from '../../../../contract/updates/rollout-plans'
import type { Tx } from '../../../core/database/tx'
import type { DeviceRow } from '../../../fleet/devices/repository'
import { devices } from '../../../fleet/schema/devices'
import { rolloutDevices } from '../../schema/rollouts'
import type { ReleaseFacts } from '../decide/decision-facts'
import { targetedByRollout } from './target.repository'

export type Member = { id: string; name: string; never_seen: boolean }
/** `pausedMs`: the last end of the pauses of its devices, which are all paused or none. */
export type Kind = { kind: string; trusts: boolean; byClient: boolean; pausedMs: number | null; ids: string[] }

export const sampleSize = 5

/** Those of some devices that are not in a rollout yet. */
export const notYetIn = (rolloutId: string, deviceIds: readonly string[]): SQL =>
  sql`${devices.id} = any(${sql.param([...deviceIds])}::text[]) and not exists (select from ${rolloutDevices}
    where ${rolloutDevices.rolloutId} = ${rolloutId} and ${rolloutDevices.deviceId} = ${devices.id})`

// A DDI client verifies its bundle by keys that are not known here.
const isByClient = sql<boolean>`${devices.protocol} = 'ddi'`
const trusts = ({ signedBy }: ReleaseFacts) =>
  sql<boolean>`(${isByClient} or ${devices.trustedKeys} && ${sql.param([...signedBy])}::text[])`

const pausedUntil = (now: Date) =>
  sql<
    string | null
  >`case when ${devices.updatesPausedUntil} > ${now.toISOString()}::timestamptz then ${devices.updatesPausedUntil} end`

/** All facts of a device that checks 1 to 12 depend on: devices of one kind get the same verdict. */
const kindOf = (release: ReleaseFacts, now: Date) => {
  const at = sql`${now.toISOString()}::timestamptz`
  return sql<string>`jsonb_build_array(
    ${devices.lifecycle}, ${devices.updatesEnabled}, coalesce(${devices.updatesPausedUntil} > ${at}, false),
    coalesce(${devices.quarantineUntil} > ${at}, false), ${devices.quarantineReleaseId}, ${devices.hardwareModel},
    ${devices.installedReleaseId}, ${devices.installedVersion}, ${devices.rollbackVersion}, ${devices.protocol},
    ${devices.attributes} ->> (case when ${isByClient} then ${sql.raw(`'${boardAttribute}'`)} else ${sql.raw(`'${installsAttribute}'`)} end), ${trusts(release)})::text`
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
      pausedUntil: pausedUntil(now).as('paused_until'),
    })
    .from(devices)
    .where(and(targetedByRollout(projectId, target), among))
    // Planned by itself: the planner cannot estimate how many devices are of a kind.
    .offset(0)
    .as('fleet')

/** The kinds of the targeted devices, with the ids of their devices in order: one pass over the fleet. */
export const listKinds = async (tx: Tx, asked: TargetedFleet): Promise<Kind[]> => {
  const fleet = targetedFleet(tx, asked)
  const found = await tx
    .select({
      kind: fleet.kind,
      trusts: sql<boolean>`bool_or(${fleet.trusts})`,
      byClient: sql<boolean>`bool_or(${fleet.byClient})`,
      pausedMs: sql<number | null>`(extract(epoch from max(${fleet.pausedUntil})) * 1000)::float8`,
      // One text instead of a row per device: splitting it takes milliseconds.
      ids: sql<string>`string_agg(${fleet.id}, ',' order by ${fleet.id} collate "C")`,
    })
    .from(fleet)
    .groupBy(fleet.kind)
    .orderBy(asc(fleet.kind))
  return found.map(({ ids, ...kind }) => ({ ...kind, ids: ids.split(',') }))
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
