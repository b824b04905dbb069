import { and, eq, isNull, not, sql } from 'drizzle-orm'
import type { Selection } from '../../../contract/fleet/device-jobs'
import type { ProjectRead } from '../../core/http/scope'
import { computed } from '../devices/state/computed.repository'
import { filtered, resolveFilter } from '../devices/list/filter.repository'
import { deviceJobRows } from '../schema/device-jobs'
import { devices } from '../schema/devices'
import { contactPollS } from '../../accounts/projects/settings'

const among = (ids: readonly string[]) => sql`${devices.id} = any(${sql.param([...ids])}::text[])`

const selected = async (read: ProjectRead, selection: Selection) => {
  if ('ids' in selection) return and(eq(devices.projectId, read.project.id), isNull(devices.deletedAt), among(selection.ids))
  const { filter, excluded_ids = [] } = selection
  const values = computed(contactPollS(read.project.settings, read.now), read.now)
  const matching = filtered(read, filter, await resolveFilter(read, filter), values)
  return and(matching, excluded_ids.length > 0 ? not(among(excluded_ids)) : undefined)
}

/** Stores the devices of a selection as those of a job, by name. Returns their number. */
export const insertSelectedRows = async (read: ProjectRead, jobId: string, selection: Selection): Promise<number> => {
  const { rowCount } = await read.tx.execute(sql`
    insert into ${deviceJobRows} (job_id, position, device_id, name)
    select ${jobId}, row_number() over (order by lower(${devices.name}), ${devices.id}), ${devices.id}, ${devices.name}
    from ${devices} where ${await selected(read, selection)}`)
  return rowCount ?? 0
}
