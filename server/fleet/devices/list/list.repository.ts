import { and, inArray, type SQL, sql } from 'drizzle-orm'
import { devices } from '../../schema/devices'
import { type Paging, paging, limitTotal } from '../../../core/http/paging'
import type { ProjectRead } from '../../../core/http/scope'
import { type Computed, computed, computedAtReview } from '../state/computed.repository'
import { countFacets, noFacets } from './facets.repository'
import { type DeviceQuery, filtered, filteredGroups, type Resolved, resolveFilter } from './filter.repository'
import { movedDeviceIds } from '../state/groups.repository'
import { groupSorts, nameKey, sortKinds, sortsOf } from './sorts.repository'
import { contactPollS } from '../../../accounts/projects/settings'

/** The name in a sort and the order of the list by it. */
const orderBy = (query: DeviceQuery, values: Computed): { page: Paging; key: SQL | undefined; last: SQL } => {
  const isDeleted = query.deleted !== undefined
  const name = query.sort?.replace(/^-/, '') ?? 'name'
  // Names are unique among the devices of a project that are not deleted.
  const last = !isDeleted && groupSorts.has(name) ? nameKey : sql`${devices.id}`
  const sorts = sortsOf(values, isDeleted)
  return { page: paging(query, sorts, last, 'name', sortKinds(isDeleted)), key: sorts[name], last }
}

const dependsOnContact = ({ connectivity, health, sort = '', deleted }: DeviceQuery) =>
  deleted === undefined && (connectivity !== undefined || health !== undefined || /^-?(connectivity|health)$/.test(sort))

/**
 * For lists by connectivity or health, which change with time alone: the first devices of the page as of their last review, by
 * index, and those that have moved since. The conditions of the list apply to both.
 */
const findCandidates = async (
  read: ProjectRead,
  query: DeviceQuery,
  resolved: Resolved,
  values: Computed,
): Promise<SQL | undefined> => {
  if (!dependsOnContact(query)) return undefined
  const { page } = orderBy(query, computedAtReview)
  const where = and(
    filtered(read, query, resolved, computedAtReview),
    page.after,
    sql`(${values.connectivity}) = ${devices.contact}`,
  )
  // A statement of its own: the planner cannot know that these are few.
  const { rows } = await read.tx.execute<{ id: string }>(sql`
    (select ${devices.id} from ${devices} where ${where} order by ${sql.join(page.order, sql`, `)} limit ${page.take})
    union all ${movedDeviceIds(read)}`)
  return inArray(
    devices.id,
    rows.map(({ id }) => id),
  )
}

const findPage = async (read: ProjectRead, query: DeviceQuery, resolved: Resolved) => {
  const values = computed(contactPollS(read.project.settings, read.now), read.now)
  const where = filtered(read, query, resolved, values)
  const { page, key, last } = orderBy(query, values)
  const candidates = await findCandidates(read, query, resolved, values)
  const found = await read.tx
    .select({ device: devices, key: sql<string>`(${key})::text`, last: sql<string>`${last}` })
    .from(devices)
    .where(and(where, page.after, candidates))
    .orderBy(...page.order)
    .limit(page.take)
  const { rows, next_cursor } = page.cut(found, (row) => [row.key, row.last])
  return {
    rows: rows.map(({ device }) => device),
    next_cursor,
    counted: {
      where,
      values,
      ofGroups: filteredGroups(query, read.project.id),
      isOfLifecycle: query.lifecycle !== undefined,
    },
  }
}

/** One page of the devices of a project. */
export const listDevices = async ({ tx, project, now }: ProjectRead, query: DeviceQuery) => {
  const read = { tx, project, now }
  const { rows, next_cursor, counted } = await findPage(read, query, await resolveFilter(read, query))
  // The counts cover the whole filter, so only the first page contains them.
  const counts = query.cursor === undefined ? await countFacets(read, counted) : undefined
  return { rows, next_cursor, total: counts ? limitTotal(counts.total) : null, facets: counts?.facets ?? noFacets }
}

const pageOfExport = 500

/** All devices of a filter by name, page by page. */
export async function* listDevicePages(read: ProjectRead, query: DeviceQuery) {
  const resolved = await resolveFilter(read, query)
  for (let cursor: string | null | undefined; cursor !== null;) {
    const part = { ...query, sort: 'name', limit: pageOfExport, ...(cursor !== undefined && { cursor }) }
    const { rows, next_cursor } = await findPage(read, part, resolved)
    yield rows
    cursor = next_cursor
  }
}
