import { and, desc, eq, gte, isNull, min, type SQL, sql } from 'drizzle-orm'
import type { Overview } from '../../contract/monitor'
import { devices } from '../fleet/schema/devices'
import { releases } from '../updates/schema/releases'
import { rollouts } from '../updates/schema/rollouts'
import { textList } from '../core/database/text-list'
import type { Tx } from '../core/database/tx'
import { computedOfGroups, isContactWithin } from '../fleet/devices/computed.repository'
import { grace } from '../fleet/devices/connectivity'
import { countsOfProject } from '../fleet/devices/counts.repository'
import { deviceGroups, silentDevices } from '../fleet/devices/groups.repository'
import { statesOf } from '../fleet/devices/update-group'
import type { DeviceRow } from '../fleet/devices/repository'

export type AttentionKind = Overview['attention'][number]['kind']

const attentionShown = 20
const versionsShown = 50

const failedStates = textList(statesOf('failed'))

/** Why a device needs attention, worst reason first; null if it does not. */
const kindSql = (connectivity: SQL) =>
  sql<AttentionKind | null>`case
    when ${devices.lifecycle} = 'pending' then 'pending'
    when ${devices.lifecycle} <> 'active' then null
    when (${connectivity}) in ('online', 'late') and ${devices.healthStatus} = 'critical' then 'critical'
    when ${devices.updateState} in ${failedStates} then 'failed'
    when (${connectivity}) = 'offline' then 'offline'
    when (${connectivity}) in ('online', 'late') and ${devices.healthStatus} = 'warning' then 'warning'
  end`

const aliveIn = (projectId: string) => and(eq(devices.projectId, projectId), isNull(devices.deletedAt))

type Counts = Overview['counts']

/** Counts the devices of a project by connectivity, and those that need attention. */
export const countDevices = async (tx: Tx, projectId: string, pollS: number, now: Date): Promise<Counts> => {
  const { rows } = await tx.execute<Counts>(sql`
    select coalesce(sum(n), 0)::bigint as total,
      coalesce(sum(n) filter (where connectivity = 'online'), 0)::bigint as online,
      coalesce(sum(n) filter (where connectivity = 'late'), 0)::bigint as late,
      coalesce(sum(n) filter (where connectivity = 'offline'), 0)::bigint as offline,
      coalesce(sum(n) filter (where connectivity = 'never_seen'), 0)::bigint as never_seen,
      coalesce(sum(n) filter (where kind is not null), 0)::bigint as attention
    from (
      select connectivity, ${kindSql(computedOfGroups.connectivity)} as kind, n
      from ${deviceGroups({ id: sql`${projectId}`, pollS: sql`${pollS}::int` }, now)} as devices
    ) facts`)
  return rows[0] ?? { total: 0, online: 0, late: 0, offline: 0, never_seen: 0, attention: 0 }
}

/** The installed versions with their numbers of devices, highest version first. */
export const countInstalledVersions = async (tx: Tx, projectId: string): Promise<Overview['versions']> => {
  const { rows } = await tx.execute<Overview['versions'][number]>(sql`
    select installed_version as version, installed_display_version as display_version, sum(n)::bigint as count
    from ${countsOfProject(sql`${projectId}`)} as counted
    group by 1, 2 having sum(n) <> 0 order by 1 desc nulls last limit ${versionsShown}`)
  return rows
}

/**
 * The conditions of each kind, worst first, one by one and not as `kindSql`: the planner sees which index has the devices in
 * order.
 */
const attentionConditions = (projectId: string, pollS: number, now: Date): [AttentionKind, SQL | undefined][] => {
  const active = eq(devices.lifecycle, 'active')
  const connected = isContactWithin(pollS, now, grace.late)
  const failed = sql`${devices.updateState} in ${failedStates}`
  const notFailed = sql`(${devices.updateState} is null or ${devices.updateState} not in ${failedStates})`
  const notCritical = sql`(${devices.healthStatus} <> 'critical' or ${devices.lastSeenAt} is null or not (${connected}))`
  const project = { id: sql`${projectId}`, pollS: sql`${pollS}::int` }
  const silent = silentDevices(project, now, attentionShown, sql`${active} and ${notFailed}`)
  return [
    ['critical', and(active, sql`${devices.healthStatus} = 'critical'`, connected)],
    ['failed', and(active, failed, notCritical)],
    ['offline', sql`${devices.id} in ${silent}`],
    ['warning', and(active, sql`${devices.healthStatus} = 'warning'`, connected, notFailed)],
    ['pending', sql`${devices.lifecycle} = 'pending'`],
  ]
}

/** The devices that need attention with the reason, worst first, of those the last seen first. */
export const listDevicesNeedingAttention = async (
  tx: Tx,
  projectId: string,
  pollS: number,
  now: Date,
): Promise<{ device: DeviceRow; kind: AttentionKind }[]> => {
  const found: { device: DeviceRow; kind: AttentionKind }[] = []
  for (const [kind, condition] of attentionConditions(projectId, pollS, now)) {
    const left = attentionShown - found.length
    if (left === 0) break
    const rows = await tx
      .select()
      .from(devices)
      .where(and(aliveIn(projectId), condition))
      .orderBy(desc(devices.lastSeenAt), devices.id)
      .limit(left)
    found.push(...rows.map((device) => ({ device, kind })))
  }
  return found
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
