import { and, desc, eq, gte, isNull, min, sql } from 'drizzle-orm'
import type { Overview } from '../../contract/monitor'
import { devices } from '../fleet/schema/devices'
import { releases } from '../updates/schema/releases'
import { rollouts } from '../updates/schema/rollouts'
import type { Tx } from '../core/database/tx'
import { formatTimestampOrNull } from '../core/timestamps'
import { connectivitySql } from '../fleet/devices/computed.repository'
import { daysBefore } from '../core/days'
import { getProjectSettings } from '../accounts/projects/plan-and-settings'
import { describeHealth } from '../fleet/monitor/health-text'
import { runningRollouts } from './running'

const attentionShown = 20
const markersDays = 30

const failedStates = sql.raw(`('failed', 'rolled_back', 'timed_out')`)

/** Why a device needs attention, worst reason first; null if it does not. */
const kindSql = (pollS: number, now: Date) => {
  const connectivity = connectivitySql(pollS, now)
  return sql<Overview['attention'][number]['kind'] | null>`case
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

const countsOf = async (tx: Tx, projectId: string, pollS: number, now: Date): Promise<Counts> => {
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

const versionsOf = async (tx: Tx, projectId: string): Promise<Overview['versions']> => {
  const { installedVersion: version, installedDisplayVersion: display_version } = devices
  const count = sql<number>`count(*)`
  return tx
    .select({ version, display_version, count })
    .from(devices)
    .where(aliveIn(projectId))
    .groupBy(version, display_version)
    .orderBy(sql`${version} desc nulls last`)
    .limit(50)
}

type Row = typeof devices.$inferSelect

type Thresholds = Awaited<ReturnType<typeof getProjectSettings>>['health_thresholds']

const wording = (
  row: Row,
  thresholds: Thresholds,
): Record<Overview['attention'][number]['kind'], { text: string; since: Date | null }> => {
  const [reason] = row.healthReasons
  const measured = {
    text: reason ? describeHealth(reason, thresholds) : 'Unwell',
    since: reason ? new Date(reason.since) : null,
  }
  return {
    critical: measured,
    warning: measured,
    failed: {
      text: row.updateErrorText ?? row.updateErrorCode ?? `The update ${row.updateState?.replace('_', ' ') ?? 'failed'}`,
      since: row.updateStateSince,
    },
    offline: { text: 'No sign of life', since: row.lastSeenAt },
    pending: { text: 'Waits to be accepted', since: row.createdAt },
  }
}

type Limits = { pollS: number; thresholds: Thresholds }

const attentionOf = async (
  tx: Tx,
  projectId: string,
  { pollS, thresholds }: Limits,
  now: Date,
): Promise<Overview['attention']> => {
  const kind = kindSql(pollS, now)
  const rank = sql`array_position(array['critical', 'failed', 'offline', 'warning', 'pending'], ${kind})`
  const rows = await tx
    .select({ device: devices, kind })
    .from(devices)
    .where(and(aliveIn(projectId), sql`(${kind}) is not null`))
    .orderBy(rank, desc(devices.lastSeenAt), devices.id)
    .limit(attentionShown)
  return rows.flatMap(({ device, kind: why }) => {
    if (why === null) return []
    const { text, since } = wording(device, thresholds)[why]
    return [{ device_id: device.id, device_name: device.name, kind: why, text, since: formatTimestampOrNull(since) }]
  })
}

/** When the releases of the last days began to reach devices: markers on the time axis. */
const markersOf = async (tx: Tx, projectId: string, now: Date): Promise<Overview['releases']> => {
  const rows = await tx
    .select({ release_id: releases.id, name: releases.name, at: min(rollouts.startedAt) })
    .from(rollouts)
    .innerJoin(releases, eq(releases.id, rollouts.releaseId))
    .where(and(eq(rollouts.projectId, projectId), gte(rollouts.startedAt, daysBefore(now, markersDays))))
    .groupBy(releases.id, releases.name)
  return rows.flatMap(({ at, ...release }) => (at === null ? [] : [{ ...release, ts_ms: at.getTime() }]))
}

export const overviewOf = async (tx: Tx, projectId: string, now: Date): Promise<Overview> => {
  const { polling_interval_s: pollS, health_thresholds: thresholds } = await getProjectSettings(tx, projectId)
  return {
    counts: await countsOf(tx, projectId, pollS, now),
    versions: await versionsOf(tx, projectId),
    rollouts: await runningRollouts(tx, projectId),
    attention: await attentionOf(tx, projectId, { pollS, thresholds }, now),
    releases: await markersOf(tx, projectId, now),
  }
}
