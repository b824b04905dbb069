import { and, eq, gte, min, sql } from 'drizzle-orm'
import type { Overview } from '../../contract/overview/monitor'
import { releases } from '../updates/schema/releases'
import { rollouts } from '../updates/schema/rollouts'
import type { Tx } from '../core/database/tx'
import { attentionKindSql } from '../fleet/devices/list/attention.repository'
import { computedOfGroups, isInUse } from '../fleet/devices/state/computed.repository'
import { countsOfProject } from '../fleet/devices/state/counts.repository'
import { deviceGroups } from '../fleet/devices/state/groups.repository'

const versionsShown = 50

type Counts = Omit<Overview['counts'], 'flapping'>

/** Counts the devices of a project that are in use, by connectivity, and those that need attention. */
export const countDevices = async (tx: Tx, projectId: string, pollS: number, now: Date): Promise<Counts> => {
  const { rows } = await tx.execute<Counts>(sql`
    select coalesce(sum(n), 0)::bigint as total,
      coalesce(sum(n) filter (where connectivity = 'online'), 0)::bigint as online,
      coalesce(sum(n) filter (where connectivity = 'late'), 0)::bigint as late,
      coalesce(sum(n) filter (where connectivity = 'offline'), 0)::bigint as offline,
      coalesce(sum(n) filter (where connectivity = 'never_seen'), 0)::bigint as never_seen,
      coalesce(sum(n) filter (where kind is not null), 0)::bigint as attention
    from (
      select connectivity, ${attentionKindSql(computedOfGroups.connectivity, sql`${projectId}`)} as kind, n
      from ${deviceGroups({ id: sql`${projectId}`, pollS: sql`${pollS}::int` }, now)} as devices
      where ${isInUse}
    ) facts`)
  return rows[0] ?? { total: 0, online: 0, late: 0, offline: 0, never_seen: 0, attention: 0 }
}

/** The installed versions with their numbers of devices in use, highest version first. */
export const countInstalledVersions = async (tx: Tx, projectId: string): Promise<Overview['versions']> => {
  const { rows } = await tx.execute<Overview['versions'][number]>(sql`
    select installed_version as version, installed_display_version as display_version, sum(n)::bigint as count
    from ${countsOfProject(sql`${projectId}`)} as counted where ${isInUse}
    group by 1, 2 having sum(n) <> 0 order by 1 desc nulls last limit ${versionsShown}`)
  return rows
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
