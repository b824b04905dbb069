import { and, desc, eq, gte, isNull, min, sql } from 'drizzle-orm'
import type { Overview } from '../../contract/monitor'
import { devices } from '../fleet/schema/devices'
import { releases } from '../updates/schema/releases'
import { rollouts } from '../updates/schema/rollouts'
import { textList } from '../core/database/text-list'
import type { Tx } from '../core/database/tx'
import { connectivitySql } from '../fleet/devices/computed.repository'
import { statesOf } from '../fleet/devices/update-group'
import type { DeviceRow } from '../fleet/devices/repository'

export type AttentionKind = Overview['attention'][number]['kind']

const attentionShown = 20
const versionsShown = 50

const failedStates = textList(statesOf('failed'))

/** Why a device needs attention, worst reason first; null if it does not. */
const kindSql = (pollS: number, now: Date) => {
  const connectivity = connectivitySql(pollS, now)
  return sql<AttentionKind | null>`case
    when ${devices.lifecycle} = 'pending' then 'pending'
    when ${devices.lifecycle} <> 'active' then null
    when (${connectivity}) in ('online', 'late') and ${devices.healthStatus} = 'critical' then 'critical'
    when ${devices.updateState} in ${failedStates} then 'failed'
    when (${connectivity}) = 'offline' then 'offline'
    when (${connectivity}) in ('online', 'late') and ${devices.healthStatus} = 'warning' then 'warning'
  end`
}

const aliveIn = (projectId: string) => and(eq(devices.projectId, projectId), isNull(devices.deletedAt))

type Counts = Overview['counts']

/** Counts the devices of a project by connectivity, and those that need attention. */
export const countDevices = async (tx: Tx, projectId: string, pollS: number, now: Date): Promise<Counts> => {
  const { rows } = await tx.execute<Counts>(sql`
    select count(*) as total,
      count(*) filter (where connectivity = 'online') as online,
      count(*) filter (where connectivity = 'late') as late,
      count(*) filter (where connectivity = 'offline') as offline,
      count(*) filter (where connectivity = 'never_seen') as never_seen,
      count(kind) as attention
    from (
      select ${connectivitySql(pollS, now)} as connectivity, ${kindSql(pollS, now)} as kind from ${devices} where ${aliveIn(projectId)}
    ) facts`)
  return rows[0] ?? { total: 0, online: 0, late: 0, offline: 0, never_seen: 0, attention: 0 }
}

/** The installed versions with their numbers of devices, highest version first. */
export const countInstalledVersions = (tx: Tx, projectId: string): Promise<Overview['versions']> => {
  const { installedVersion: version, installedDisplayVersion: display_version } = devices
  const count = sql<number>`count(*)`
  return tx
    .select({ version, display_version, count })
    .from(devices)
    .where(aliveIn(projectId))
    .groupBy(version, display_version)
    .orderBy(sql`${version} desc nulls last`)
    .limit(versionsShown)
}

/** The devices that need attention with the reason, worst first. */
export const listDevicesNeedingAttention = async (
  tx: Tx,
  projectId: string,
  pollS: number,
  now: Date,
): Promise<{ device: DeviceRow; kind: AttentionKind }[]> => {
  const kind = kindSql(pollS, now)
  const rank = sql`array_position(array['critical', 'failed', 'offline', 'warning', 'pending'], ${kind})`
  const rows = await tx
    .select({ device: devices, kind })
    .from(devices)
    .where(and(aliveIn(projectId), sql`(${kind}) is not null`))
    .orderBy(rank, desc(devices.lastSeenAt), devices.id)
    .limit(attentionShown)
  return rows.flatMap(({ device, kind: why }) => (why === null ? [] : [{ device, kind: why }]))
}

/** When the releases that began to reach devices since a time did so. */
export const listReleaseStarts = async (
  tx: Tx,
  projectId: string,
  since: Date,
): Promise<{ releaseId: string; name: string; at: Date }[]> => {
  const rows = await tx
    .select({ releaseId: releases.id, name: releases.name, at: min(rollouts.startedAt) })
    .from(rollouts)
    .innerJoin(releases, eq(releases.id, rollouts.releaseId))
    .where(and(eq(rollouts.projectId, projectId), gte(rollouts.startedAt, since)))
    .groupBy(releases.id, releases.name)
  return rows.flatMap(({ at, ...release }) => (at === null ? [] : [{ ...release, at }]))
}
