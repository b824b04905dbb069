import { inArray, sql } from 'drizzle-orm'
import { rolloutMoves } from '../../machines/rollout/rollout.machine'
import { textList } from '../core/database/text-list'
import { statesOf } from '../fleet/devices/state/update-group'
import { isInUse } from '../fleet/devices/state/computed.repository'
import { deviceGroups } from '../fleet/devices/state/groups.repository'
import { projects } from '../accounts/schema/projects'
import { releases } from '../updates/schema/releases'
import { rollouts } from '../updates/schema/rollouts'
import type { CountProjectContents, Counts } from '../accounts/projects/to-json'
import { contactPollSql } from '../accounts/projects/plan-and-settings.repository'

const notOpen = textList(['draft', ...rolloutMoves.withTag('ended')])
const failedStates = textList(statesOf('failed'))

type Row = Counts & { id: string }

/**
 * Counts for the cards of the projects list, for all projects in one query, with the same connectivity rule as the device list. Of
 * devices those in use.
 */
export const countProjectContents: CountProjectContents = async (tx, projectIds, now) => {
  if (projectIds.length === 0) return new Map()
  const { rows } = await tx.execute<Row>(sql`
    select p.id,
      d.devices, d.devices_online, d.devices_attention,
      (select count(*) from ${releases} r where r.project_id = p.id) as releases,
      (select count(*) from ${rollouts} x where x.project_id = p.id
        and x.phase not in ${notOpen}) as open_rollouts
    from ${projects} p
    cross join lateral (
      select coalesce(sum(n), 0)::bigint as devices,
        coalesce(sum(n) filter (where connectivity = 'online'), 0)::bigint as devices_online,
        coalesce(sum(n) filter (
          where lifecycle = 'pending'
            or (lifecycle = 'active' and (
              connectivity = 'offline'
              or (health_status in ('warning', 'critical') and connectivity in ('online', 'late'))
              or update_state in ${failedStates}
              or installed_release_id in (select id from revoked_releases(p.id))
            ))
        ), 0)::bigint as devices_attention
      from ${deviceGroups({ id: sql`p.id`, pollS: contactPollSql(sql`p.settings`, now) }, now)} as facts
      where ${isInUse}
    ) d
    where ${inArray(sql`p.id`, [...projectIds])}`)
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}
