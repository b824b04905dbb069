import { type SQL, sql } from 'drizzle-orm'
import type { Connectivity } from '../../../contract/devices'
import { textList } from '../../core/database/text-list'
import { devices } from '../schema/devices'
import { grace, limitMs } from './connectivity'
import { statesOf, type UpdateGroup } from './update-group'

/** The earliest last contact of a device that has missed at most so many polls. */
export const contactSince = (pollS: SQL, now: Date, polls: number): SQL =>
  sql`(${now.toISOString()}::timestamptz - make_interval(secs => ${pollS} * ${polls}::float8 + ${grace.slackS}::float8))`

/**
 * Whether the device has missed at most so many polls; unknown for one that was never seen. Most devices use the project's
 * interval: for them the limit is one time, computed once.
 */
export const isContactWithin = (pollS: number, now: Date, polls: number) => {
  const limit = new Date(now.getTime() - limitMs(pollS, polls)).toISOString()
  const own = contactSince(sql`${devices.pollingIntervalS}`, now, polls)
  return sql`${devices.lastSeenAt} >= case when ${devices.pollingIntervalS} is null then ${limit}::timestamptz else ${own} end`
}

/** The rule of `connectivityOf` inside a query; `pollS` is the project's. */
export const connectivitySql = (pollS: number, now: Date): SQL<Connectivity> =>
  sql`case when ${devices.lastSeenAt} is null then 'never_seen' when ${isContactWithin(pollS, now, grace.online)} then 'online' when ${isContactWithin(pollS, now, grace.late)} then 'late' else 'offline' end`

/** The state of a silent device is not known: its health is unknown, not critical. */
const healthSql = (connectivity: SQL): SQL<string> =>
  sql`case when ${connectivity} in ('offline', 'never_seen') then 'unknown' else ${devices.healthStatus} end`

const listed = (group: UpdateGroup) => textList(statesOf(group))

const updateGroupSql: SQL<UpdateGroup> = sql`case when ${devices.updateState} in ${listed('waiting')} then 'waiting' when ${devices.updateState} in ${listed('in_progress')} then 'in_progress' when ${devices.updateState} in ${listed('failed')} then 'failed' when ${devices.updateState} = 'succeeded' then 'succeeded' else 'none' end`

/** Values that are no columns but follow from columns, the project's polling interval and the time. */
export const computed = (pollS: number, now: Date) => {
  const connectivity = connectivitySql(pollS, now)
  return { connectivity, health: healthSql(connectivity), update: updateGroupSql }
}
/** The same over `deviceGroups`, which already contain the connectivity. */
export const computedOfGroups: Computed = {
  connectivity: sql<Connectivity>`devices.connectivity`,
  health: healthSql(sql`devices.connectivity`),
  update: updateGroupSql,
}
export type Computed = ReturnType<typeof computed>

/** The displayed version: its name, or its number if it has none. */
export const versionSql = sql<string | null>`coalesce(${devices.installedDisplayVersion}, ${devices.installedVersion}::text)`
