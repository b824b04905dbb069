import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { textList } from '../../core/database/text-list'
import { statesOf, type UpdateGroup } from '../devices/state/update-group'

// Values of a device that lists show, filter and sort by, computed from its columns: indexes contain them in the same words.

type Value = AnyColumn | SQL

const nearestFirst = { online: 0, late: 1, offline: 2, never_seen: 3 }
const worstFirst = { critical: 0, warning: 1, unknown: 2, healthy: 3 }
const busiestFirst = { in_progress: 0, failed: 1, waiting: 2, succeeded: 3, none: 4 }

const ranked = (value: Value, ranks: Record<string, number>): SQL<number> =>
  sql`(case ${value} ${sql.join(
    Object.entries(ranks).map(([name, rank]) => sql.raw(`when '${name}' then ${rank}`)),
    sql` `,
  )} end)`

export const connectivityRank = (connectivity: Value): SQL<number> => ranked(connectivity, nearestFirst)
export const healthRank = (health: Value): SQL<number> => ranked(health, worstFirst)
export const updateRank = (group: Value): SQL<number> => ranked(group, busiestFirst)

/** The state of a silent device is not known: its health is unknown, not critical. */
export const healthOf = (connectivity: Value, status: Value): SQL<string> =>
  sql`case when ${connectivity} in ('offline', 'never_seen') then 'unknown' else ${status} end`

const listed = (group: UpdateGroup) => textList(statesOf(group))

export const updateGroupOfState = (state: Value): SQL<UpdateGroup> =>
  sql`case when ${state} in ${listed('waiting')} then 'waiting' when ${state} in ${listed('in_progress')} then 'in_progress' when ${state} in ${listed('failed')} then 'failed' when ${state} = 'succeeded' then 'succeeded' else 'none' end`

/** The displayed version: its name, or its number if it has none. */
export const versionOf = (installed: { installedDisplayVersion: Value; installedVersion: Value }): SQL<string | null> =>
  sql`coalesce(${installed.installedDisplayVersion}, ${installed.installedVersion}::text)`

/** Of the keys that a device trusts, in their order. */
export const keysHash = (trustedKeys: Value): SQL<string> => sql`md5(keys_text(${trustedKeys}))`
