import { and, sql } from 'drizzle-orm'
import { devices } from '../schema/devices'
import { paging, limitTotal } from '../../core/http/paging'
import type { ProjectRead } from '../../core/http/scope'
import { computed } from './computed.repository'
import { countFacets, noFacets } from './facets.repository'
import { type DeviceQuery, filtered, filteredGroups } from './filter.repository'
import { sortKinds, sortsOf } from './sorts.repository'

/** One page of the devices of a project. */
export const listDevices = async ({ tx, project, now }: ProjectRead, query: DeviceQuery) => {
  const values = computed(project.settings.polling_interval_s, now)
  const sorts = sortsOf(values)
  const page = paging(query, sorts, devices.id, 'name', sortKinds)
  const where = filtered({ tx, project, now }, query, values)
  const key = sorts[query.sort?.replace(/^-/, '') ?? 'name']
  const found = await tx
    .select({ device: devices, key: sql<string>`(${key})::text` })
    .from(devices)
    .where(and(where, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const { rows, next_cursor } = page.cut(found, (row) => [row.key, row.device.id])
  // The counts cover the whole filter, so only the first page contains them.
  const read = { tx, project, now }
  const counted =
    query.cursor === undefined ? await countFacets(read, { where, values, ofGroups: filteredGroups(query) }) : undefined
  return {
    rows: rows.map(({ device }) => device),
    next_cursor,
    total: counted ? limitTotal(counted.total) : null,
    facets: counted?.facets ?? noFacets,
  }
}
