import { and, sql } from 'drizzle-orm'
import type { DevicePage } from '../../../contract/devices'
import { devices } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { paging, toldTotal } from '../../core/http/paging'
import { getProjectSettings } from '../../accounts/projects/plan-and-settings'
import { countFacets, noFacets } from './facets'
import { computed, type DeviceQuery, filtered } from './filter'
import { devicesToJson } from './repository'
import { sortKinds, sortsOf } from './sorts'

export const listDevices = async (tx: Tx, projectId: string, query: DeviceQuery, now: Date): Promise<DevicePage> => {
  const { polling_interval_s: pollS } = await getProjectSettings(tx, projectId)
  const values = computed(pollS, now)
  const sorts = sortsOf(values)
  const page = paging(query, sorts, devices.id, 'name', sortKinds)
  const where = filtered(tx, projectId, query, values)
  const key = sorts[query.sort?.replace(/^-/, '') ?? 'name']
  const rows = await tx
    .select({ device: devices, key: sql<string>`(${key})::text` })
    .from(devices)
    .where(and(where, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const cut = page.cut(rows, (row) => [row.key, row.device.id])
  // The counts cover the whole filter, so only the first page contains them.
  const counted = query.cursor === undefined ? await countFacets(tx, where, values) : undefined
  return {
    devices: await devicesToJson(
      tx,
      projectId,
      cut.rows.map(({ device }) => device),
      now,
    ),
    next_cursor: cut.next_cursor,
    total: counted ? toldTotal(counted.total) : null,
    facets: counted?.facets ?? noFacets,
  }
}
