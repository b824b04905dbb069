import { type SQL, sql } from 'drizzle-orm'
import type { Connectivity } from '../../../contract/devices'
import { devices } from '../schema/devices'

/** A device is `online` for 1.5 polling intervals and a minute, `late` for 3 intervals and a minute. */
const grace = { online: 1.5, late: 3, slackS: 60 } as const

const limitMs = (pollS: number, polls: number) => (pollS * polls + grace.slackS) * 1000

/** Computed on read, never by a job. */
export const connectivityOf = (lastSeenAt: Date | null, pollS: number, now: Date): Connectivity => {
  if (lastSeenAt === null) return 'never_seen'
  const silence = now.getTime() - lastSeenAt.getTime()
  if (silence <= limitMs(pollS, grace.online)) return 'online'
  return silence <= limitMs(pollS, grace.late) ? 'late' : 'offline'
}

// Most devices use the project's interval: for them the limit is one time, computed once.
const isWithin = (pollS: number, now: Date, polls: number) => {
  const limit = new Date(now.getTime() - limitMs(pollS, polls)).toISOString()
  const own = sql`${now.toISOString()}::timestamptz - make_interval(secs => ${devices.pollingIntervalS} * ${polls}::float8 + ${grace.slackS}::float8)`
  return sql`${devices.lastSeenAt} >= case when ${devices.pollingIntervalS} is null then ${limit}::timestamptz else ${own} end`
}

/** The same rule inside a query; `pollS` is the project's. */
export const connectivitySql = (pollS: number, now: Date): SQL<Connectivity> =>
  sql`case when ${devices.lastSeenAt} is null then 'never_seen' when ${isWithin(pollS, now, grace.online)} then 'online' when ${isWithin(pollS, now, grace.late)} then 'late' else 'offline' end`

/** The state of a silent device is not known: its health is unknown, not critical. */
export const healthSql = (connectivity: SQL): SQL<string> =>
  sql`case when ${connectivity} in ('offline', 'never_seen') then 'unknown' else ${devices.healthStatus} end`
