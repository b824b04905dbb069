import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { grace } from '../../../../contract/fleet/connectivity'
import { type AttentionKind, attentionKinds } from '../../../../contract/fleet/devices'
import { textList } from '../../../core/database/text-list'
import type { Tx } from '../../../core/database/tx'
import { devices } from '../../schema/devices'
import { computedOfGroups, isContactWithin } from '../state/computed.repository'
import { deviceGroups, silentDevices } from '../state/groups.repository'
import type { DeviceRow } from '../repository'
import { statesOf } from '../state/update-group'

const failedStates = textList(statesOf('failed'))

/** Whether a device, or a group of devices, runs a release of the project that was revoked. */
const runsRevoked = (projectId: SQL) => sql`${devices.installedReleaseId} in (select id from revoked_releases(${projectId}))`

/** Why a device needs attention, worst reason first; null if it does not. */
export const attentionKindSql = (connectivity: SQL, projectId: SQL) =>
  sql<AttentionKind | null>`case
    when ${devices.lifecycle} = 'pending' then 'pending'
    when ${devices.lifecycle} <> 'active' then null
    when (${connectivity}) in ('online', 'late') and ${devices.healthStatus} = 'critical' then 'critical'
    when ${devices.updateState} in ${failedStates} then 'failed'
    when ${runsRevoked(projectId)} then 'revoked'
    when (${connectivity}) = 'offline' then 'offline'
    when (${connectivity}) in ('online', 'late') and ${devices.healthStatus} = 'warning' then 'warning'
  end`

/**
 * Whether a device needs attention for this reason, or for any. The planner takes a bare comparison for rare, and would read and sort
 * all devices; those for rare reasons are named before.
 */
export const needsAttention = (kind: AttentionKind | 'any', connectivity: SQL, projectId: SQL): SQL => {
  const own = attentionKindSql(connectivity, projectId)
  return sql`case when ${kind === 'any' ? sql`(${own}) is not null` : sql`(${own}) = ${kind}`} then true else false end`
}

/** The ids of the devices that run a revoked release and match: the first by name of each release, at most so many, by index. */
const devicesOfRevoked = (projectId: string, most: number, matching: SQL): SQL => sql`(
  select one.id from revoked_releases(${projectId}) as revoked, lateral (
    select devices.id from ${devices}
    where devices.installed_release_id = revoked.id and devices.deleted_at is null and ${matching}
    order by lower(devices.name) limit ${most}
  ) one
)`

type Fleet = { tx: Tx; projectId: string; pollS: number; now: Date }

/**
 * The condition of a kind by itself and not as `attentionKindSql`: the planner sees which index has the devices in order. `most`: of how
 * many devices at most the list will be.
 */
const conditionOf = (kind: AttentionKind, { projectId, pollS, now }: Omit<Fleet, 'tx'>, most: number): SQL | undefined => {
  const active = eq(devices.lifecycle, 'active')
  const connected = isContactWithin(pollS, now, grace.late)
  const notCritical = sql`(${devices.healthStatus} <> 'critical' or ${devices.lastSeenAt} is null or not (${connected}))`
  const notFailed = sql`(${devices.updateState} is null or ${devices.updateState} not in ${failedStates})`
  const supported = sql`coalesce(not ${runsRevoked(sql`${projectId}`)}, true)`
  switch (kind) {
    case 'critical':
      return and(active, sql`${devices.healthStatus} = 'critical'`, connected)
    case 'failed':
      return and(active, sql`${devices.updateState} in ${failedStates}`, notCritical)
    case 'revoked':
      return sql`${devices.id} in ${devicesOfRevoked(projectId, most, sql`${active} and ${notCritical} and ${notFailed}`)}`
    case 'offline': {
      const project = { id: sql`${projectId}`, pollS: sql`${pollS}::int` }
      return sql`${devices.id} in ${silentDevices(project, now, most, sql`${active} and ${notFailed} and ${supported}`)}`
    }
    case 'warning':
      return and(active, sql`${devices.healthStatus} = 'warning'`, connected, notFailed, supported)
    case 'pending':
      return sql`${devices.lifecycle} = 'pending'`
  }
}

const inOrder = (fleet: Fleet, kind: AttentionKind, most: number) => ({
  where: and(eq(devices.projectId, fleet.projectId), isNull(devices.deletedAt), conditionOf(kind, fleet, most)),
  orderBy: [desc(devices.lastSeenAt), devices.id] as const,
})

/** At most so many devices that need attention with the reason, worst first, of those the last seen first. */
export const listDevicesNeedingAttention = async (
  fleet: Fleet,
  most: number,
): Promise<{ device: DeviceRow; kind: AttentionKind }[]> => {
  const found: { device: DeviceRow; kind: AttentionKind }[] = []
  for (const kind of attentionKinds) {
    const left = most - found.length
    if (left === 0) break
    const { where, orderBy } = inOrder(fleet, kind, most)
    const rows = await fleet.tx
      .select()
      .from(devices)
      .where(where)
      .orderBy(...orderBy)
      .limit(left)
    found.push(...rows.map((device) => ({ device, kind })))
  }
  return found
}

const countNeeding = async ({ tx, projectId, pollS, now }: Fleet, wanted: AttentionKind | 'any') => {
  const groups = deviceGroups({ id: sql`${projectId}`, pollS: sql`${pollS}::int` }, now)
  const { rows } = await tx.execute<{ whole: number; needing: number }>(sql`
    select coalesce(sum(n), 0)::bigint as whole,
      coalesce(sum(n) filter (where ${needsAttention(wanted, computedOfGroups.connectivity, sql`${projectId}`)}), 0)::bigint as needing
    from ${groups} as devices`)
  return rows[0] ?? { whole: 0, needing: 0 }
}

// Never reached: the square root of a fleet's size, times that of a page.
const mostNamed = 10_000

/**
 * The devices that need attention for this reason, or for any, by index, for a page of so many. Null if they are more than the devices
 * that a page in the order of a list looks at, skipping the others: the list does that then.
 */
export const findDevicesNeedingAttention = async (
  fleet: Fleet,
  wanted: AttentionKind | 'any',
  limit: number,
): Promise<string[] | null> => {
  const { whole, needing } = await countNeeding(fleet, wanted)
  if (needing * needing > whole * limit) return null
  const found: string[] = []
  for (const kind of wanted === 'any' ? attentionKinds : [wanted]) {
    const { where, orderBy } = inOrder(fleet, kind, mostNamed)
    const rows = await fleet.tx
      .select({ id: devices.id })
      .from(devices)
      .where(where)
      .orderBy(...orderBy)
      .limit(mostNamed)
    found.push(...rows.map(({ id }) => id))
  }
  return found
}
