import { type SQL, sql } from 'drizzle-orm'
import { grace, limitMs } from '../../../../contract/fleet/connectivity'
import { type Connectivity, unusedLifecycles } from '../../../../contract/fleet/devices'
import { textList } from '../../../core/database/text-list'
import { healthOf, updateGroupOfState, versionOf } from '../../schema/device-values'
import { devices } from '../../schema/devices'

/** Of a device, or of a group of devices. */
export const isInUse = sql`lifecycle not in ${textList(unusedLifecycles)}`

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

const updateGroupSql = updateGroupOfState(devices.updateState)

/** The values that lists show, filter and sort by and that are no columns. `connectivity` as SQL. */
const computedFrom = (connectivity: SQL<Connectivity>) => ({
  connectivity,
  health: healthOf(connectivity, devices.healthStatus),
  update: updateGroupSql,
})
export type Computed = ReturnType<typeof computedFrom>

export const computed = (pollS: number, now: Date): Computed => computedFrom(connectivitySql(pollS, now))

/** The same over `deviceGroups`, which already contain the connectivity. */
export const computedOfGroups: Computed = computedFrom(sql`devices.connectivity`)

/** The same at the last review of the device, by which indexes have them. */
export const computedAtReview: Computed = computedFrom(sql`${devices.contact}`)

export const versionSql = versionOf(devices)
